//! What C hands over, checked: nothing is null, nothing that is written overlaps anything else, and
//! structures are as long as they say.
#![expect(unsafe_code, reason = "reads and writes where C says")]

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::ptr;

use super::status::macs_status::{self, MACS_BAD_OPTION, MACS_NULL, MACS_OVERLAP};
use super::status::said;

/// Bytes of the caller: what they are called, where they begin, how many there are.
pub(super) type Lent = (&'static str, *const u8, usize);

/// The same of bytes that are written.
pub(super) type LentMut = (&'static str, *mut u8, usize);

/// What C lends for one call: what is read, and what is written.
pub(super) type Borrowed<'a, const READ: usize, const WRITTEN: usize> =
    ([&'a [u8]; READ], [&'a mut [u8]; WRITTEN]);

/// The error for a pointer that is null.
#[cold]
pub(super) fn null(what: &'static str) -> macs_status {
    said(MACS_NULL, format_args!("`{what}` is a null pointer"))
}

/// The bytes that C lends for one call, once they are known to be apart.
///
/// # Safety
/// What is not null must point to that many bytes, which nobody else writes during the call, nor
/// reads where they are written.
#[inline(always)]
pub(super) unsafe fn lend<'a, const READ: usize, const WRITTEN: usize>(
    read: [Lent; READ],
    written: [LentMut; WRITTEN],
) -> Result<Borrowed<'a, READ, WRITTEN>, macs_status> {
    // Loops of a known count, which a tag of few bytes would otherwise notice.
    for one in &read {
        check(*one)?;
    }
    for (number, one) in written.iter().enumerate() {
        let one = as_read(*one);
        check(one)?;
        for other in &read {
            apart(one, *other)?;
        }
        for earlier in &written[..number] {
            apart(one, as_read(*earlier))?;
        }
    }
    // An empty slice begins at an address of its own, since C may give null for it.
    let read = read.map(|(_, data, len)| match len {
        0 => &[],
        // SAFETY: not null, and of a length that memory can have; the caller promises the rest.
        len => unsafe { std::slice::from_raw_parts(data, len) },
    });
    let written = written.map(|(_, data, len)| match len {
        0 => &mut [],
        // SAFETY: not null, of a length that memory can have, and apart from all that is read or
        // written here; the caller promises that nobody else has these bytes.
        len => unsafe { std::slice::from_raw_parts_mut(data, len) },
    });
    Ok((read, written))
}

/// Sets the place of an answer to zeros, before anything else is refused; not if it overlaps
/// anything of the call.
///
/// # Safety
/// If it is not null, `place` must point to that many bytes, which nobody else uses during the
/// call.
pub(super) unsafe fn clear(
    place: LentMut,
    others: impl IntoIterator<Item = Lent>,
) -> Result<(), macs_status> {
    let written = as_read(place);
    check(written)?;
    for other in others {
        // What cannot be memory overlaps none, and is refused where it is read.
        if check(other).is_ok() {
            apart(written, other)?;
        }
    }
    let (_, data, len) = place;
    if len > 0 {
        // SAFETY: not null, and of a length that memory can have; the caller's promise.
        unsafe { ptr::write_bytes(data, 0, len) }
    }
    Ok(())
}

/// Bytes that are only read.
///
/// # Safety
/// As of [`lend`].
pub(super) unsafe fn read<'a>(one: Lent) -> Result<&'a [u8], macs_status> {
    // SAFETY: the caller's promise, word for word.
    let ([bytes], []) = unsafe { lend([one], []) }?;
    Ok(bytes)
}

#[inline(always)]
fn as_read((name, data, len): LentMut) -> Lent {
    (name, data.cast_const(), len)
}

#[inline(always)]
fn check((name, data, len): Lent) -> Result<(), macs_status> {
    if len > 0 && data.is_null() {
        return Err(null(name));
    }
    // Slices may not be longer, nor may an object of C be.
    if len > isize::MAX as usize || data.addr().checked_add(len).is_none() {
        return Err(too_long(name, len));
    }
    Ok(())
}

/// Whether what is written shares no byte with the other.
#[inline(always)]
pub(super) fn apart(
    (written, to, to_len): Lent,
    (other, from, from_len): Lent,
) -> Result<(), macs_status> {
    let (to, from) = (to.addr(), from.addr());
    let (to_end, from_end) = (to.saturating_add(to_len), from.saturating_add(from_len));
    if to_len == 0 || from_len == 0 || to_end <= from || from_end <= to {
        return Ok(());
    }
    Err(overlap(written, other))
}

#[cold]
fn too_long(name: &'static str, len: usize) -> macs_status {
    said(MACS_NULL, format_args!("`{name}` cannot have {len} bytes"))
}

#[cold]
fn overlap(written: &'static str, other: &'static str) -> macs_status {
    said(MACS_OVERLAP, format_args!("`{written}` is written and overlaps `{other}`"))
}

/// An array of the caller's structures.
///
/// # Safety
/// If it is not null, there must be that many of them, which nobody writes during the call.
pub(super) unsafe fn array<'a, T>(
    name: &'static str,
    data: *const T,
    count: usize,
) -> Result<&'a [T], macs_status> {
    let len_bytes = count.saturating_mul(size_of::<T>());
    check((name, data.cast(), len_bytes))?;
    if count == 0 {
        return Ok(&[]);
    }
    if !data.is_aligned() {
        return Err(said(MACS_NULL, format_args!("`{name}` is not where such an array can be")));
    }
    // SAFETY: not null, aligned, of a length that memory can have; the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(data, count) })
}

/// A name in the catalog.
///
/// # Safety
/// If it is not null, it must end in a zero byte, and nobody may write it during the call.
pub(super) unsafe fn name<'a>(name: *const c_char) -> Result<&'a str, macs_status> {
    if name.is_null() {
        return Err(null("name"));
    }
    // SAFETY: not null; the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    name.to_str().map_err(|_| {
        said(macs_status::MACS_UNKNOWN_NAME, format_args!("`name` is not a text in UTF-8"))
    })
}

/// The caller's structure, which says in its first field how long it is. One that is longer, of a
/// later version of the header, may ask for nothing that is not known here.
///
/// # Safety
/// If it is not null, it must point to as many bytes as its first field says. `T` must begin with
/// that field, a `usize`, and take all bytes as values.
pub(super) unsafe fn sized<T: Copy>(
    name: &'static str,
    given: *const T,
) -> Result<Option<T>, macs_status> {
    if given.is_null() {
        return Ok(None);
    }
    // SAFETY: there is a structure, and it begins with its size.
    let size = unsafe { given.cast::<usize>().read_unaligned() };
    check_size::<T>(name, size)?;
    // SAFETY: it is at least as long as `T`, to which all bytes are values.
    let known = unsafe { given.read_unaligned() };
    // SAFETY: these bytes lie behind it, and belong to it by what it says of its size.
    let rest =
        unsafe { std::slice::from_raw_parts(given.add(1).cast::<u8>(), size - size_of::<T>()) };
    if rest.iter().any(|&byte| byte != 0) {
        return Err(said(
            MACS_BAD_OPTION,
            format_args!("`{name}` asks for something that this version does not know"),
        ));
    }
    Ok(Some(known))
}

/// Fills the caller's structure, which says in its first field how long it is; what is known here
/// takes its place, and what is not becomes zero.
///
/// # Safety
/// If it is not null, it must point to as many bytes as its first field says, which nobody else
/// uses during the call. `T` must begin with that field, a `usize`.
pub(super) unsafe fn fill<T: Copy>(
    name: &'static str,
    given: *mut T,
    known: impl FnOnce(usize) -> T,
) -> Result<(), macs_status> {
    if given.is_null() {
        return Err(null(name));
    }
    // SAFETY: there is a structure, and it begins with its size.
    let size = unsafe { given.cast::<usize>().read_unaligned() };
    check_size::<T>(name, size)?;
    // SAFETY: it is at least as long as `T`, and what lies behind belongs to it by its size.
    unsafe {
        given.write_unaligned(known(size));
        ptr::write_bytes(given.add(1).cast::<u8>(), 0, size - size_of::<T>());
    }
    Ok(())
}

/// Whether a structure is as long as it was in the first version of the header, and not longer than
/// any will be: a field that was not set holds anything.
fn check_size<T>(name: &'static str, size: usize) -> Result<(), macs_status> {
    let known = size_of::<T>();
    if (known..=STRUCT_SIZE_MAX).contains(&size) {
        return Ok(());
    }
    Err(said(
        MACS_BAD_OPTION,
        format_args!("`struct_size` of `{name}` is {size}: it must be sizeof, here {known}"),
    ))
}

const STRUCT_SIZE_MAX: usize = 4096;

/// Hands a new object over to C, or a null pointer with the status that says why there is none.
pub(super) fn give<T>(
    out: Option<&mut MaybeUninit<*mut T>>,
    make: impl FnOnce() -> Result<T, macs_status>,
) -> Result<(), macs_status> {
    let out = out.ok_or_else(|| null("out"))?;
    out.write(ptr::null_mut());
    out.write(Box::into_raw(Box::new(make()?)));
    Ok(())
}

//! What keeps methods of public traits to this crate.

/// An argument that only this crate can give. Generic code of others can call whatever the
/// supertraits of a public trait have, although it cannot name them; what relies on its caller's
/// checks, or is there for the catalog alone, therefore asks for this.
///
/// Of a composition, this is for everybody:
///
#[cfg_attr(feature = "_compositions", doc = "```")]
#[cfg_attr(not(feature = "_compositions"), doc = "```ignore")]
/// use macs::{Composition, Error, Header};
///
/// fn open<C: Composition>(keyed: &C, header: Header<'_>, buffer: &mut [u8]) -> Result<(), Error> {
///     keyed.open_in_place(header, buffer, &[]).map(|_| ())
/// }
/// ```
///
/// What does not check the length of the tag is not, whatever is given:
///
/// ```compile_fail,E0061
/// use macs::{Composition, Error, Header};
///
/// fn open<C: Composition>(keyed: &C, header: Header<'_>, buffer: &mut [u8]) -> Result<(), Error> {
///     keyed.open_checked(header, buffer, &[]).map(|_| ())
/// }
/// ```
///
/// ```compile_fail,E0277
/// use macs::{Composition, Error, Header};
///
/// fn open<C: Composition>(keyed: &C, header: Header<'_>, buffer: &mut [u8]) -> Result<(), Error> {
///     keyed.open_checked(header, buffer, &[], Default::default()).map(|_| ())
/// }
/// ```
///
/// ```compile_fail,E0061
/// use macs::{Composition, Header};
///
/// fn seal<C: Composition>(keyed: &C, header: Header<'_>, buffer: &mut [u8]) {
///     keyed.seal_checked(header, buffer, 99, &mut []);
/// }
/// ```
///
/// ```compile_fail,E0061
/// use macs::{Composition, Header};
///
/// fn seal<C: Composition>(keyed: &C, header: Header<'_>, place: &mut [u8]) {
///     keyed.seal_into_checked(header, b"a message", place, &mut []);
/// }
/// ```
///
/// Nor is what `keyed_on` and `rekey` are made of:
///
/// ```compile_fail,E0061
/// fn set_up<C: macs::Composition>(key: &[u8]) {
///     let _ = C::set_up(macs::Pin::BEST, key);
/// }
/// ```
///
/// Nor are many keys without their row of the catalog:
///
/// ```compile_fail,E0061
/// fn set_up<C: macs::Composition>(keys: &[&[u8]]) {
///     let _ = C::batch(macs::Pin::BEST, keys);
/// }
/// ```
///
/// ```compile_fail,E0061
/// fn set_up<M: macs::PreparedMac>(keys: &[&[u8]]) {
///     let _ = M::batch(macs::Pin::BEST, keys);
/// }
/// ```
///
/// ```compile_fail,E0061
/// fn set_up<M: macs::NonceMac>(keys: &[&[u8]]) {
///     let _ = M::batch(macs::Pin::BEST, keys);
/// }
/// ```
///
/// Nor what kernels do for the modes, under any cipher or hash; this is for everybody again:
///
#[cfg_attr(feature = "_ciphers", doc = "```")]
#[cfg_attr(not(feature = "_ciphers"), doc = "```ignore")]
/// use macs::ciphers::BlockCipher;
/// use macs::digest::array::Array;
///
/// fn encrypt<C: BlockCipher>(cipher: &C, block: &mut Array<u8, C::BlockSize>) {
///     cipher.encrypt_block(block);
/// }
/// ```
///
/// ```compile_fail,E0061
/// use macs::ciphers::BlockCipher;
/// use macs::digest::array::Array;
///
/// fn chain<C: BlockCipher>(cipher: &C, y: &mut Array<u8, C::BlockSize>) {
///     cipher.chain(y, &[], &[]);
/// }
/// ```
///
/// ```compile_fail,E0061
/// fn set_up<C: macs::ciphers::BlockCipher>(kernel: C::Kernel, key: &[u8]) {
///     let _ = C::new_on(kernel, key);
/// }
/// ```
///
/// ```compile_fail,E0061
/// use macs::compression::Compression;
///
/// fn in_turn<C: Compression>(kernel: C::Kernel) {
///     C::in_turn(kernel);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Inside(pub(crate) ());

/// What only this crate implements: a supertrait of public traits of which the same is said.
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy)]
/// struct Mine;
///
/// impl macs::Choice for Mine {
///     const ALL: &'static [(macs::KernelName, fn() -> Option<Self>)] = &[];
///
///     fn name(self) -> macs::KernelName {
///         macs::KernelName::Soft
///     }
///
///     fn best() -> Self {
///         Self
///     }
/// }
/// ```
///
/// ```compile_fail,E0277
/// use macs::compression::{Block, Compression, Digest, LengthField, Sha256};
///
/// struct Mine;
///
/// impl Compression for Mine {
///     type State = <Sha256 as Compression>::State;
///     type BlockSize = <Sha256 as Compression>::BlockSize;
///     type OutputSize = <Sha256 as Compression>::OutputSize;
///     type Kernel = <Sha256 as Compression>::Kernel;
///     const INITIAL: Self::State = Sha256::INITIAL;
///     const LENGTH_FIELD: LengthField = LengthField::Be64;
///
///     fn compress(_: Self::Kernel, _: &mut Self::State, _: &[Block<Self>]) {}
///
///     fn write_digest(_: &Self::State, _: &mut Digest<Self>) {}
/// }
/// ```
pub trait Sealed {}

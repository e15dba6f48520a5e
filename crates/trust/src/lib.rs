//! Whether other users of the machine could change what a path leads to: a key, a folder whose
//! contents are executed, a folder that files are written to.

use std::env;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use nix::unistd::{Gid, Group, Uid, User};

const STICKY: u32 = 0o1000;

/// So many symbolic links are followed on the way to a file; the system follows no more, either.
const LINKS_MAX: usize = 40;

/// The folder that a file of this name is in.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Why somebody else could put another file in the place of this one, or something else in the
/// place of a folder or a link on the way to it. None where that cannot be known: the file cannot
/// be reached then, either.
#[must_use]
pub fn doubt_of_place(file: &Path) -> Option<String> {
    let passed = passed(file)?;
    let (folder, _) = passed.last()?;
    // The nearest comes first.
    passed.iter().rev().find_map(|(place, doubt)| {
        let doubt = doubt.as_ref()?;
        Some(if place == folder {
            format!("it is in {doubt}")
        } else if folder.starts_with(place) {
            format!("it is below {}, {doubt}", place.display())
        } else {
            format!("it is reached through {}, {doubt}", place.display())
        })
    })
}

/// Every folder in which a name is looked up on the way to a file, on both sides of every link, by
/// its own path; with what is to be told of it. The last one has the file, or would have it.
fn passed(file: &Path) -> Option<Vec<(PathBuf, Option<String>)>> {
    let (mut passed, mut links) = (Vec::new(), 0);
    let (mut here, mut names) = (PathBuf::from("/"), Vec::new());
    push(&mut names, &env::current_dir().ok()?.join(file));
    while let Some(name) = names.pop() {
        let Some(name) = name else {
            here.pop();
            continue;
        };
        let folder = fs::metadata(&here).ok()?;
        passed.push((here.clone(), doubt_of_folder(&folder)));
        let next = here.join(name);
        let known = match next.symlink_metadata() {
            Ok(known) => known,
            // A file that is not there yet, or cannot be reached.
            Err(_) if names.is_empty() => break,
            Err(_) => return None,
        };
        if known.is_symlink() {
            links += 1;
            let target = fs::read_link(&next).ok().filter(|_| links <= LINKS_MAX)?;
            passed.extend(doubt_of_link(&folder, &known).map(|doubt| (next, Some(doubt))));
            if target.has_root() {
                here = PathBuf::from("/");
            }
            push(&mut names, &target);
        } else if known.is_dir() {
            here = next;
        } else if !names.is_empty() {
            return None;
        }
    }
    Some(passed)
}

/// Puts the names of a path before those that are still to be looked up, of which the next is the
/// last. None is the folder above.
fn push(names: &mut Vec<Option<OsString>>, path: &Path) {
    names.extend(path.components().rev().filter_map(|it| match it {
        Component::Normal(name) => Some(Some(name.to_owned())),
        Component::ParentDir => Some(None),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    }));
}

/// Why somebody else could put another link in the place of one in this folder: where others can
/// write, its owner can, whatever the sticky bit says.
fn doubt_of_link(folder: &Metadata, link: &Metadata) -> Option<String> {
    let is_replaceable = is_shared(folder) && !is_trusted(link.uid());
    is_replaceable.then(|| format!("a symbolic link of user {}, who can replace it", link.uid()))
}

/// Why somebody else could put another file in the place of one in this folder.
#[must_use]
pub fn doubt_of_folder(folder: &Metadata) -> Option<String> {
    if !is_trusted(folder.uid()) {
        return Some(format!("a folder of user {}, who can replace it", folder.uid()));
    }
    let is_writable = is_shared(folder) && folder.mode() & STICKY == 0;
    is_writable.then(|| {
        let mode = folder.mode() & 0o7777;
        format!("a folder that others can write to (mode {mode:04o}), who can replace it")
    })
}

/// Whether this is our user or root, who can do anything here.
#[must_use]
pub fn is_trusted(owner: u32) -> bool {
    owner == 0 || owner == rustix::process::geteuid().as_raw()
}

/// Whether others can write to it, which a group of the user alone, and root's, are not.
#[must_use]
pub fn is_shared(known: &Metadata) -> bool {
    let mode = known.mode();
    mode & 0o002 != 0 || (mode & 0o020 != 0 && !is_own_group(known.gid()))
}

/// Where all users share one group (`users`), its members can write what is the group's: that it is
/// this user's group, too, says nothing.
fn is_own_group(group: u32) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let name = User::from_uid(Uid::from_raw(user)).ok().flatten().map(|it| it.name);
    let known = Group::from_gid(Gid::from_raw(group)).ok().flatten();
    let known = known.as_ref().map(|it| (it.name.as_str(), &it.mem[..]));
    group == 0 || is_private(group == user, name.as_deref(), known)
}

/// Whether a group is like those that systems make for each user: of the user's number or name, and
/// with no other member. A container may have numbers only.
fn is_private(is_of_number: bool, user: Option<&str>, group: Option<(&str, &[String])>) -> bool {
    let Some((name, members)) = group else { return is_of_number };
    (is_of_number || user == Some(name)) && members.iter().all(|it| user == Some(it.as_str()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, lchown, symlink};

    use super::*;

    #[test]
    fn a_way_is_followed_as_the_system_follows_it() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        fs::create_dir_all(place.join("one/two")).unwrap();
        fs::write(place.join("one/file"), "").unwrap();
        for (target, link) in [
            ("one/two", "to-two"),
            ("../file", "one/two/to-file"),
            ("to-two/to-file", "to-file"),
            ("loop", "loop"),
        ] {
            symlink(target, place.join(link)).unwrap();
        }
        let last = |name: &str| Some(passed(&place.join(name))?.pop()?.0);
        for (name, folder) in [
            ("one/file", "one"),
            ("to-two/../file", "one"),
            ("to-two/new", "one/two"),
            ("to-file", "one"),
            ("./one/../one/two/../new", "one"),
        ] {
            assert_eq!(last(name), Some(place.join(folder)), "{name}");
        }
        for name in ["loop", "loop/x", "one/file/x/y", "nothing/x"] {
            assert_eq!(last(name), None, "{name}");
        }
        let all = passed(&place.join("to-file")).unwrap();
        for folder in ["", "one", "one/two"] {
            assert!(all.iter().any(|(it, _)| *it == place.join(folder)), "{folder}: {all:?}");
        }
    }

    #[test]
    fn a_link_is_its_owners_where_all_can_write() {
        if !rustix::process::geteuid().is_root() {
            return println!("skipped: needs root");
        }
        let place = tempfile::tempdir().unwrap();
        let link = place.path().join("link");
        fs::create_dir(place.path().join("own")).unwrap();
        symlink("own", &link).unwrap();
        lchown(&link, Some(12345), None).unwrap();
        for (mode, is_told) in [(0o1777, true), (0o755, false)] {
            fs::set_permissions(place.path(), fs::Permissions::from_mode(mode)).unwrap();
            let told = doubt_of_place(&link.join("key")).unwrap_or_default();
            assert_eq!(told.contains("link, a symbolic link of user 12345"), is_told, "{told}");
        }
    }

    #[test]
    fn a_group_of_other_users_is_not_ones_own() {
        let (nobody, me, others) = (vec![], vec!["me".to_owned()], vec!["you".to_owned()]);
        let is_mine = |is_of_number, name: &str, members: &[String]| {
            is_private(is_of_number, Some("me"), Some((name, members)))
        };
        for (number, members) in [(true, &nobody), (false, &nobody), (false, &me)] {
            assert!(is_mine(number, "me", members), "{members:?}");
        }
        // One that has its members by their primary group names none of them.
        assert!(!is_mine(false, "users", &nobody) && !is_mine(false, "users", &me));
        assert!(!is_mine(false, "me", &others) && !is_mine(true, "me", &others));
        assert!(is_private(true, None, None) && !is_private(false, Some("me"), None));
        assert!(is_own_group(0) && !is_own_group(u32::MAX - 1));
    }
}

//! Places of keys: who could put another key there is told, whatever names and links lead to it.

use std::os::unix::fs::symlink;

use super::*;

#[test]
fn a_key_that_others_can_replace_is_told_when_read_and_not_written() {
    let bench = KeyBench::new();
    bench.write("message", "m");
    let open = bench.path("open");
    std::fs::create_dir(&open).unwrap();
    for (mode, is_safe) in [(0o700, true), (0o755, true), (0o1777, true), (0o777, false)] {
        std::fs::set_permissions(&open, PermissionsExt::from_mode(mode)).unwrap();
        let name = format!("open/{mode:o}");
        let made = bench.words(&format!("keygen --mac {MAC} {name}"));
        if is_safe {
            assert_eq!((made.code, made.stderr.as_str()), (Some(0), ""));
        } else {
            made.is_refused_with(&["no key is written", "others can write", "0777"]);
            assert!(!bench.path(&name).exists());
            bench.private(&name, KEY);
        }
        let told = bench.words(&format!("tag --mac {MAC} --key-file {name} message"));
        assert_eq!((told.code, told.stderr.is_empty()), (Some(0), is_safe), "{}", told.stderr);
    }
    // Nor is it safe in a folder that can itself be replaced, by whatever name it is reached.
    std::fs::create_dir(bench.path("open/own")).unwrap();
    std::fs::set_permissions(bench.path("open/own"), PermissionsExt::from_mode(0o700)).unwrap();
    symlink("open/own", bench.path("link")).unwrap();
    let above = open.canonicalize().unwrap();
    for (mode, is_safe) in [(0o777, false), (0o702, false), (0o755, true), (0o1777, true)] {
        std::fs::set_permissions(&open, PermissionsExt::from_mode(mode)).unwrap();
        for folder in ["open/own", "link"] {
            let name = format!("{folder}/{mode:o}");
            let made = bench.words(&format!("keygen --mac {MAC} {name}"));
            if is_safe {
                assert_eq!((made.code, made.stderr.as_str()), (Some(0), ""));
            } else {
                let below = format!("it is below {}, a folder that others", above.display());
                made.is_refused_with(&["no key is written", &below, &format!("{mode:04o}")]);
                bench.private(&name, KEY);
            }
            let told = bench.words(&format!("tag --mac {MAC} --key-file {name} message"));
            assert_eq!((told.code, told.stderr.is_empty()), (Some(0), is_safe), "{}", told.stderr);
            std::fs::remove_file(bench.path(&name)).unwrap();
        }
    }
    for mode in [0o620, 0o602] {
        std::fs::set_permissions(bench.path("key"), PermissionsExt::from_mode(mode)).unwrap();
        let told = bench.words(&format!("tag --mac {MAC} --key-file key message"));
        assert!(told.stderr.contains("can change this key"), "{}", told.stderr);
    }
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(bench.path("key"), Some(12345), None).unwrap();
        let told = bench.words(&format!("tag --mac {MAC} --key-file key message"));
        assert!(told.stderr.contains("belongs to user 12345"), "{}", told.stderr);
    }
}

/// Every folder on the way counts: that of a link, and that of what it names.
#[test]
fn a_key_behind_links_is_safe_where_both_sides_of_every_link_are() {
    let bench = KeyBench::new();
    bench.write("message", "m");
    for folder in ["own", "other", "shared"] {
        std::fs::create_dir(bench.path(folder)).unwrap();
        std::fs::set_permissions(bench.path(folder), PermissionsExt::from_mode(0o700)).unwrap();
    }
    bench.private("own/key", KEY);
    bench.private("shared/key", KEY);
    for (target, link) in [
        ("own/key", "to-own"),
        ("shared/key", "to-shared"),
        ("../own", "shared/to-own"),
        ("../own/key", "shared/to-key"),
        ("shared/to-key", "around"),
        ("../shared/to-own/key", "other/around"),
    ] {
        symlink(target, bench.path(link)).unwrap();
    }
    let shared = bench.path("shared").canonicalize().unwrap();
    let through = format!("it is reached through {}, a folder that others", shared.display());
    let through = through.as_str();
    let cases = [
        ("own/key", ""),
        ("to-own", ""),
        ("to-shared", "it is in a folder that others"),
        ("shared/to-own/key", through),
        ("shared/to-key", through),
        ("around", through),
        ("other/around", through),
        ("other/../to-own", ""),
    ];
    for (mode, is_safe) in [(0o777, false), (0o1777, true), (0o755, true)] {
        std::fs::set_permissions(&shared, PermissionsExt::from_mode(mode)).unwrap();
        for (name, doubt) in cases {
            let told = bench.words(&format!("tag --mac {MAC} --key-file {name} message"));
            assert_eq!(told.code, Some(0), "{name}: {}", told.stderr);
            let is_quiet = is_safe || doubt.is_empty();
            assert_eq!(told.stderr.is_empty(), is_quiet, "{mode:o} {name}: {}", told.stderr);
            assert!(is_quiet || told.stderr.contains(doubt), "{name}: {}", told.stderr);
        }
        let made = bench.words(&format!("keygen --mac {MAC} shared/to-own/new"));
        if is_safe {
            assert_eq!((made.code, made.stderr.as_str()), (Some(0), ""));
            std::fs::remove_file(bench.path("own/new")).unwrap();
        } else {
            made.is_refused_with(&["no key is written", through]);
            assert!(!bench.path("own/new").exists());
        }
    }
}

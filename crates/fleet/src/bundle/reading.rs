//! Reads a bundle that anybody may have made. Nothing in it is believed before every file was seen
//! to be one of those that a bundle has, and to be what its checksum says.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use lab::archive::{Archive, ArchiveError, Outline};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    ABOUT, ARCHIVE, AaTest, About, Bundle, DOCTOR, Doctor, FILES, PACK, PACKAGE, PROVENANCE,
    SCHEMA, SELFTEST, SUMS, package, sums,
};
use crate::names;
use crate::pack::{self, Pack};
use crate::store::Refused;

/// Longest of the small files.
const SMALL_BYTES_MAX: u64 = 1 << 24;

/// Longest archive: it is read whole for its checksum.
const ARCHIVE_BYTES_MAX: u64 = 1 << 34;

/// Longest text in a small file.
const TEXT_BYTES_MAX: usize = 1 << 16;

/// Largest count: above it programs with floating point would round it.
const COUNT_MAX: u64 = 1 << 53;

impl Bundle {
    /// Reads and checks a bundle, without its samples.
    ///
    /// # Errors
    /// In one line that names the file and says what is wrong with it.
    pub fn read(place: &Path) -> Result<Self, Refused> {
        let reader = Reader { place };
        reader.check_files()?;
        let about = reader.about()?;
        reader.check_is_whole()?;
        reader.check_sums()?;
        reader.check_names(&about)?;
        let pack = reader.pack(&about)?;
        let outline = reader.outline(&about)?;
        let licences = reader.licences()?;
        let _: Value = reader.json(PROVENANCE)?;
        let (selftest, doctor) = (reader.json(SELFTEST)?, reader.doctor()?);
        Ok(Self { place: place.to_owned(), about, pack, outline, selftest, doctor, licences })
    }
}

struct Reader<'a> {
    place: &'a Path,
}

impl Reader<'_> {
    fn refused(&self, name: &str, what: impl Into<String>) -> Refused {
        Refused::new(&self.place.join(name), what)
    }

    /// Whatever is there is a file: a link would lead elsewhere, a FIFO would be waited for.
    fn check_files(&self) -> Result<(), Refused> {
        let cannot = |error: std::io::Error| Refused::new(self.place, error.to_string());
        if !fs::symlink_metadata(self.place).map_err(cannot)?.is_dir() {
            return Err(Refused::new(self.place, "not a folder; links are not followed"));
        }
        for entry in fs::read_dir(self.place).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            if !entry.file_type().map_err(cannot)?.is_file() {
                return Err(Refused::new(&entry.path(), "not a file; links are not followed"));
            }
        }
        Ok(())
    }

    /// Read before all others: a newer generation may have other files.
    fn about(&self) -> Result<About, Refused> {
        let value: Value = self.json(ABOUT)?;
        match value["schema"].as_u64() {
            Some(schema) if schema == u64::from(SCHEMA) => {}
            Some(schema) if schema > u64::from(SCHEMA) => {
                let told = format!("schema {schema}, made by a newer macrometer; this one knows");
                return Err(self.refused(ABOUT, format!("{told} schema {SCHEMA}")));
            }
            _ => return Err(self.refused(ABOUT, "invalid schema version")),
        }
        serde_json::from_value(value).map_err(|error| self.refused(ABOUT, error.to_string()))
    }

    fn check_is_whole(&self) -> Result<(), Refused> {
        let cannot = |error: std::io::Error| Refused::new(self.place, error.to_string());
        let mut missing: BTreeSet<&str> = FILES.into_iter().chain([SUMS]).collect();
        for entry in fs::read_dir(self.place).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let is_ours = entry.file_name().to_str().is_some_and(|name| missing.remove(name));
            if !is_ours {
                return Err(Refused::new(&entry.path(), "not part of a bundle"));
            }
            // Before anything of it is read: a file with holes may be endless.
            let is_archive = entry.file_name().to_str() == Some(ARCHIVE);
            let most = if is_archive { ARCHIVE_BYTES_MAX } else { SMALL_BYTES_MAX };
            if entry.metadata().map_err(cannot)?.len() > most {
                return Err(Refused::new(&entry.path(), format!("more than {most} bytes")));
            }
        }
        match missing.first() {
            Some(name) => Err(self.refused(name, "missing")),
            None => Ok(()),
        }
    }

    fn check_sums(&self) -> Result<(), Refused> {
        let told = self.text(SUMS)?;
        let found = sums::of(self.place);
        let found = found.map_err(|error| Refused::new(self.place, error.to_string()))?;
        if let Some(name) = sums::first_that_differs(&told, &found) {
            return Err(self.refused(name, format!("not what {SUMS} says: it was changed")));
        }
        if told != found {
            return Err(self.refused(SUMS, "names files that no bundle has"));
        }
        Ok(())
    }

    /// Name of the folder so many levels above its own.
    fn above(&self, levels: usize) -> &str {
        let folder = self.place.ancestors().nth(levels);
        folder.and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// That it lies where it says that it belongs.
    fn check_names(&self, about: &About) -> Result<(), Refused> {
        if about.machine.id() != about.machine_id {
            return Err(self.refused(ABOUT, "its machine_id is not that of its machine"));
        }
        if !names::is_machine_id(&about.host_id) {
            return Err(self.refused(ABOUT, "invalid host_id"));
        }
        let own = [
            ("study", &about.study_id, self.above(2)),
            ("machine", &about.machine_id, self.above(1)),
            ("run", &about.run_id, self.above(0)),
        ];
        for (what, said, folder) in own {
            if said != folder {
                let told = format!("is of the {what} {said:.64}, and lies in {folder}");
                return Err(self.refused(ABOUT, told));
            }
        }
        Ok(())
    }

    fn pack(&self, about: &About) -> Result<Pack, Refused> {
        let bytes = self.bytes(PACK, pack::BYTES_MAX)?;
        let pack = Pack::parse(&bytes);
        let pack = pack.map_err(|error| self.refused(PACK, error.to_string()))?;
        match pack.id() == about.study_id {
            true => Ok(pack),
            false => Err(self.refused(PACK, format!("another study: {}", pack.id()))),
        }
    }

    fn no_outline(&self, error: &ArchiveError) -> Refused {
        if matches!(error, ArchiveError::Foreign(_) | ArchiveError::Empty(_)) {
            return self.refused(ARCHIVE, "not an archive of macrometer");
        }
        self.refused(ARCHIVE, error.without_place())
    }

    fn outline(&self, about: &About) -> Result<Outline, Refused> {
        let outline = Archive::open(&self.place.join(ARCHIVE)).and_then(|archive| archive.only());
        let outline = outline.map_err(|error| self.no_outline(&error))?;
        if outline.id != about.run_id {
            return Err(self.refused(ARCHIVE, format!("another run: {}", outline.id)));
        }
        let Some(packed) = &outline.packed else {
            return Err(self.refused(ARCHIVE, "its run is of no pack"));
        };
        if packed.study_id != about.study_id {
            let told = format!("its run is of another study: {:.64}", packed.study_id);
            return Err(self.refused(ARCHIVE, told));
        }
        if packed.machine_id != about.machine_id {
            let told = format!("its run is of another machine: {:.64}", packed.machine_id);
            return Err(self.refused(ARCHIVE, told));
        }
        Ok(outline)
    }

    fn doctor(&self) -> Result<Doctor, Refused> {
        let doctor: Doctor = self.json(DOCTOR)?;
        match &doctor.a_a {
            Some(AaTest { pairs, called_different, .. }) if called_different > pairs => {
                let told = format!("{called_different} of {pairs} pairs were called different");
                Err(self.refused(DOCTOR, told))
            }
            _ => Ok(doctor),
        }
    }

    /// What the description says of licences, which must be of files of the bundle and no others.
    fn licences(&self) -> Result<Vec<String>, Refused> {
        let told: Value = self.json(PACKAGE)?;
        let paths = package::paths(&told);
        match paths.iter().find(|path| !FILES.contains(&path.as_str())) {
            Some(path) => Err(self.refused(PACKAGE, format!("{path:?} is not part of the bundle"))),
            None if paths.is_empty() => Err(self.refused(PACKAGE, "describes no file")),
            None => Ok(package::licences(&told)),
        }
    }

    fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T, Refused> {
        let bytes = self.bytes(name, SMALL_BYTES_MAX)?;
        let wrong = |error: serde_json::Error| self.refused(name, error.to_string());
        let value: Value = serde_json::from_slice(&bytes).map_err(wrong)?;
        // Provenance is kept as it is, and has the seed, which may be any number of 64 bits.
        if let Some(what) = excess(&value).filter(|_| name != PROVENANCE) {
            return Err(self.refused(name, what));
        }
        serde_json::from_value(value).map_err(wrong)
    }

    fn text(&self, name: &str) -> Result<String, Refused> {
        let bytes = self.bytes(name, SMALL_BYTES_MAX)?;
        String::from_utf8(bytes).map_err(|_| self.refused(name, "not text"))
    }

    fn bytes(&self, name: &str, most: u64) -> Result<Vec<u8>, Refused> {
        let mut bytes = Vec::new();
        let file = File::open(self.place.join(name));
        let read = file.and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
        match read {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(self.refused(name, "missing"))
            }
            Err(error) => Err(self.refused(name, error.to_string())),
            Ok(_) if bytes.len() as u64 > most => {
                Err(self.refused(name, format!("more than {most} bytes")))
            }
            Ok(_) => Ok(bytes),
        }
    }
}

/// What no program of ours writes and other engines do not take: text without an end, and counts
/// beyond what their numbers hold.
fn excess(value: &Value) -> Option<&'static str> {
    match value {
        Value::String(text) if text.len() > TEXT_BYTES_MAX => Some("a text is too long"),
        Value::Number(number) if number.as_u64().is_some_and(|it| it > COUNT_MAX) => {
            Some("a count is too large")
        }
        Value::Array(items) => items.iter().find_map(excess),
        Value::Object(items) => items.values().find_map(excess),
        _ => None,
    }
}

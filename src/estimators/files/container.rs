//! The format of files: safetensors with one JSON document in its header, and a SHA-256 of every byte. It is that of the Python
//! package; a number in the header is believed only as far as the file goes, and nothing in a file is run.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, Metadata};
use std::io::Write;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors, View, serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::error::{Fault, Outcome};

pub(super) const FORMAT: u64 = 1;

/// Where the document stands in the metadata of safetensors.
const KEY: &str = "gauda";

/// What stands in place of the checksum while it is computed.
const UNSIGNED: [u8; 64] = [b'0'; 64];

/// Bytes before the header, which tell its length.
const LENGTH: usize = 8;

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) kind: String,
    pub(super) tensors: BTreeMap<String, Tensor>,
    /// The dtypes of numpy that tensors stand for, where they do not tell.
    pub(super) views: Map<String, Value>,
    /// Arrays of Python's own values.
    pub(super) objects: Map<String, Value>,
    pub(super) metadata: Map<String, Value>,
}

/// Numbers in the order of C and of little-endian machines.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tensor {
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Vec<u8>,
}

impl View for &Tensor {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> std::borrow::Cow<'_, [u8]> {
        (&self.bytes).into()
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

/// Writes a file; under its name there is, at any time, the old one or the new one, whole. Who may read an old one may read the
/// new one.
pub(super) fn write(path: &Path, content: &Content) -> Outcome<()> {
    let document = json!({
        "checksum": String::from_utf8_lossy(&UNSIGNED), // the first in the order of names, as it is searched for
        "format": FORMAT,
        "kind": content.kind,
        "metadata": content.metadata,
        "objects": content.objects,
        "version": env!("CARGO_PKG_VERSION"),
        "views": content.views,
    });
    let header = HashMap::from([(KEY.to_owned(), document.to_string())]);
    let bytes =
        serialize(&content.tensors, Some(header)).map_err(|error| Fault::Unsupported(error.to_string()))?;
    let bytes = signed(bytes);
    let old = fs::metadata(path).ok();
    let path = &match &old {
        Some(old) => replaceable(path, old)?,
        None => path.to_owned(),
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = new_file(folder)?;
    file.write_all(&bytes)?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// The file that a name stands for: a link stays, and what it points to is replaced.
fn replaceable(path: &Path, old: &Metadata) -> Outcome<PathBuf> {
    if !old.is_file() {
        let why = "a folder, a device or a pipe has this name; give the name of an ordinary file";
        return Err(Fault::Unsupported(why.to_owned()));
    }
    Ok(path.canonicalize()?)
}

/// A file that others may read as they may any new one.
fn new_file(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    let builder = {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666))
    };
    builder.prefix(".gauda-").tempfile_in(folder)
}

/// Reads a file; refuses one that is not exactly as it was written, or of a later format.
pub(super) fn read(path: &Path) -> Outcome<Content> {
    if !File::open(path)?.metadata()?.is_file() {
        return Err(Fault::Foreign("it is not an ordinary file".to_owned()));
    }
    let bytes = fs::read(path)?;
    let (length, header) = SafeTensors::read_metadata(&bytes).map_err(|error| foreign(&error.to_string()))?;
    let text = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
    let text = text.ok_or_else(|| foreign("its header is not one of gauda's"))?;
    let mut document: Map<String, Value> =
        serde_json::from_str(text).map_err(|_| foreign("its header is not one of gauda's"))?;
    let format = document.get("format").and_then(Value::as_u64);
    let format = format.ok_or_else(|| foreign("its header is not one of gauda's"))?;
    if format > FORMAT {
        let version =
            document.get("version").and_then(Value::as_str).unwrap_or("of unknown version").to_owned();
        return Err(Fault::Later { version, format });
    }
    check_sum(&bytes, length, document.get("checksum"))?;
    let tensors = SafeTensors::deserialize(&bytes).map_err(|error| Fault::Damaged(error.to_string()))?;
    let tensor = |(name, view): (&str, safetensors::tensor::TensorView<'_>)| {
        let tensor =
            Tensor { dtype: view.dtype(), shape: view.shape().to_vec(), bytes: view.data().to_vec() };
        (name.to_owned(), tensor)
    };
    let tensors = tensors.iter().map(tensor).collect();
    let mut part = |name: &str| match document.remove(name) {
        Some(Value::Object(part)) => Ok(part),
        _ => Err(Fault::Damaged(format!("it has no {name}"))),
    };
    let (views, objects, metadata) = (part("views")?, part("objects")?, part("metadata")?);
    let kind = document.get("kind").and_then(Value::as_str);
    let kind = kind.ok_or_else(|| Fault::Damaged("it has no kind".to_owned()))?.to_owned();
    Ok(Content { kind, tensors, views, objects, metadata })
}

fn foreign(why: &str) -> Fault {
    Fault::Foreign(why.to_owned())
}

fn check_sum(bytes: &[u8], header_length: usize, claimed: Option<&Value>) -> Outcome<()> {
    let claimed = claimed.and_then(Value::as_str).unwrap_or_default();
    let header = &bytes[..LENGTH + header_length];
    let place = place_of(header, claimed.as_bytes()).filter(|_| claimed.len() == UNSIGNED.len());
    match place.map(|place| sum_of(bytes, place)) {
        Some(sum) if sum == claimed => Ok(()),
        _ => Err(Fault::Damaged("its checksum differs".to_owned())),
    }
}

/// Content that was written without a checksum, with it.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let place = place_of(&bytes, &UNSIGNED).expect("the document begins with it");
    let sum = sum_of(&bytes, place);
    bytes[place..place + UNSIGNED.len()].copy_from_slice(sum.as_bytes());
    bytes
}

fn place_of(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len().max(1)).position(|window| window == wanted)
}

/// The SHA-256 of a file in which no checksum were written.
fn sum_of(bytes: &[u8], place: usize) -> String {
    let mut digest = Sha256::new();
    digest.update(&bytes[..place]);
    digest.update(UNSIGNED);
    digest.update(&bytes[place + UNSIGNED.len()..]);
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

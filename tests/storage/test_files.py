"""The file format: exact round trips, whole files or none, and no trust in what a file claims."""

import json
import os
import stat
import tracemalloc
import zipfile
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
import safetensors
import safetensors.numpy

import gauda
from gauda._storage import format as _files
from gauda._storage import json_values
from gauda._storage.format import Content, read, sign, write

ARRAYS = {
    "scatter": np.arange(12.0).reshape(2, 3, 2),
    "classes": np.array(["no", "yes"]),
    "feature_names": np.array(["a", "b"], dtype=object),
}
METADATA = {"parameters": {"tol": 1e-4, "priors": [0.25, 0.75]}, "dtype": "float32"}

DOCUMENT = {
    "checksum": _files.UNSIGNED,
    "format": 1,
    "kind": "Moments",
    "version": "0.1.0",
    "views": {},
    "objects": {},
    "metadata": {},
}


@pytest.fixture
def path(tmp_path):
    """Give the name of a small file that exists."""
    write(tmp_path / "small.gauda", "Moments", ARRAYS, METADATA)
    return tmp_path / "small.gauda"


def trip(tmp_path, *, arrays=None, metadata=None):
    write(tmp_path / "trip.gauda", "Moments", arrays or {}, metadata or {})
    return read(tmp_path / "trip.gauda")


def crafted(tensors=None, **changes):
    """Make the bytes of a file with a right checksum and an odd document."""
    text = json.dumps(DOCUMENT | changes)
    return sign(safetensors.numpy.save(tensors or {}, {"gauda": text}))


def with_header(header, padding=b"", body=b""):
    """Make the bytes of a file with a right checksum and any header."""
    text = json.dumps(header).encode() + padding
    return sign(len(text).to_bytes(8, "little") + text + body)


def assert_same(got, expected):
    assert type(got) is type(expected)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected, strict=True)


# Round trips


@pytest.mark.parametrize(
    "array",
    [
        *(np.array([0, 1, 1], dtype=code) for code in "?bBhHiIlLqQefd"),
        np.array([0, 2**64 - 1], dtype="u8"),
        np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324]),
        np.array(3.5),
        np.empty((0, 4)),
        np.empty((3, 0, 2), dtype="f4"),
        np.array(["a", "", "größer 😀"]),
        np.array(["a"], dtype="U9"),
        np.array([["a", "bc"], ["d", "e"]]),
        np.array([], dtype="U3"),
        np.array(["2020-02-29", "NaT"], dtype="M8[D]"),
        np.array([1, 2], dtype="m8[ns]"),
        np.array(["a", "b"], dtype=object),
        np.array(["\ud800", "a\0", ""], dtype=object),
        np.array([1, 2**70], dtype=object),
        np.array([True, 2, 2.5, "x", None, np.float32(0.1), np.str_("y")], dtype=object),
        np.array([], dtype=object),
    ],
    ids=lambda array: f"{array.dtype.name}{list(array.shape)}",
)
def test_array_comes_back_the_same(tmp_path, array):
    got = trip(tmp_path, arrays={"x": array}).arrays["x"]
    assert_same(got, array)
    if array.dtype == object:
        assert [type(item) for item in got] == [type(item) for item in array]


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3).T,
        np.arange(24.0).reshape(2, 3, 4)[:, ::-2, 1:],
        np.array([["ab", "c"], ["d", "e"]]).T,
        np.array(["ab", "c", "d"])[::-2],
    ],
)
def test_array_in_another_order_comes_back_with_its_values(tmp_path, array):
    assert_same(trip(tmp_path, arrays={"x": array}).arrays["x"], array)


@pytest.mark.parametrize("dtype", [">i4", ">f8", ">U3", ">M8[s]"])
def test_bytes_of_another_machine_come_back_in_this_ones_order(tmp_path, dtype):
    array = np.array([1, 2]).astype(dtype)
    expected = array.astype(array.dtype.newbyteorder("="))
    assert_same(trip(tmp_path, arrays={"x": array}).arrays["x"], expected)


def test_bits_of_floats_come_back(tmp_path):
    array = np.random.default_rng(3).integers(0, 2**64, 1000, dtype="u8").view("f8")
    got = trip(tmp_path, arrays={"x": array}).arrays["x"]
    np.testing.assert_array_equal(got.view("u8"), array.view("u8"))


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -7,
        2**80,
        0.1,
        5e-324,
        float("inf"),
        "größer\0\ud800",
        [1, [2.5, None], "x"],
        (1, (2, 3)),
        {"a": {"b": [1]}},
        np.float32(0.1),
        np.int8(-3),
        np.bool_(True),  # noqa: FBT003 - a value
        np.str_("lsqr"),
    ],
    ids=repr,
)
def test_value_comes_back_the_same(tmp_path, value):
    got = trip(tmp_path, metadata={"value": value}).metadata["value"]
    assert got == value
    assert type(got) is type(value)


def test_nan_comes_back(tmp_path):
    assert np.isnan(trip(tmp_path, metadata={"value": float("nan")}).metadata["value"])


@pytest.mark.parametrize(
    "array",
    [
        np.array([0.1, np.inf, np.nan]),
        np.array([[0.1, 0.2]], dtype="f4"),
        np.array([1, 2**64 - 1], dtype="u8"),
        np.array([True, False]),
        np.empty((2, 0)),
        np.array(["a", None, 2], dtype=object),
    ],
)
def test_array_among_the_metadata_comes_back_the_same(tmp_path, array):
    assert_same(trip(tmp_path, metadata={"priors": array}).metadata["priors"], array)


def test_kind_and_versions_come_back(path):
    content = read(path)
    assert content.kind == "Moments"
    assert content.version == gauda.__version__
    assert content.format_version == 1


def test_loaded_arrays_can_be_written_to(path):
    for array in read(path).arrays.values():
        array[...] = array


def test_same_content_gives_the_same_bytes(tmp_path, path):
    write(tmp_path / "again.gauda", "Moments", ARRAYS, METADATA)
    assert (tmp_path / "again.gauda").read_bytes() == path.read_bytes()


def test_safetensors_itself_reads_the_numbers(path):
    with safetensors.safe_open(path, framework="numpy") as file:
        np.testing.assert_array_equal(file.get_tensor("scatter"), ARRAYS["scatter"])
        assert json.loads(file.metadata()["gauda"])["format"] == 1


@pytest.mark.parametrize(
    "value", [{1: 2}, {"$type": "tuple"}, {(1, "a"): {2.5: None}}, {np.str_("a"): [True]}, {}]
)
def test_dicts_of_any_keys_come_back(value):
    found = json_values.from_json(json.loads(json.dumps(json_values.to_json(value))))
    assert found == value
    assert list(map(type, found)) == list(map(type, value))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (object(), "of type object cannot be saved: use None"),
        (OrderedDict(a=1), "OrderedDict"),
        (b"raw", "of type bytes"),
        (1j, "of type complex"),
        (np.longdouble(1), "longdouble"),
        (np.array(["a"]), "dtype <U1"),
    ],
)
def test_value_that_would_not_come_back_is_refused(tmp_path, value, message):
    with pytest.raises(TypeError, match=message):
        trip(tmp_path, metadata={"value": value})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("dtype", ["S1", "g", "c16", "V2"])
def test_array_that_would_not_come_back_is_refused(tmp_path, dtype):
    with pytest.raises(TypeError, match=r"of dtype .* cannot be saved: use numbers"):
        trip(tmp_path, arrays={"x": np.zeros(1, dtype=dtype)})
    assert list(tmp_path.iterdir()) == []


def test_more_names_than_a_header_can_hold_are_refused(tmp_path):
    names = np.array(["x" * 100_000_000], dtype=object)
    with pytest.raises(ValueError, match=r"Moments cannot be saved: .*header too large"):
        trip(tmp_path, arrays={"feature_names": names})


# Damage


def test_every_changed_byte_is_noticed(path):
    whole = path.read_bytes()
    for place in range(len(whole)):
        for change in [1 << place % 8, 255]:
            altered = bytearray(whole)
            altered[place] ^= change
            path.write_bytes(altered)
            with pytest.raises(ValueError, match=r"small\.gauda"):
                read(path)


def test_every_cut_is_noticed(path):
    whole = path.read_bytes()
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        with pytest.raises(ValueError, match=r"small\.gauda is (not a gauda file|damaged)"):
            read(path)


@pytest.mark.parametrize("more", [b"\0", b" ", b"{}"])
def test_bytes_after_the_end_are_noticed(path, more):
    path.write_bytes(path.read_bytes() + more)
    with pytest.raises(ValueError, match="is damaged: its checksum differs"):
        read(path)


@pytest.mark.parametrize("space", [b"\t", b"\n", b"\r"])
def test_other_white_space_in_the_header_is_noticed(path, space):
    whole = with_header({"__metadata__": {"gauda": json.dumps(DOCUMENT)}}, padding=b" ")
    path.write_bytes(whole)
    assert read(path).kind == "Moments"
    path.write_bytes(whole[:-1] + space)
    with pytest.raises(ValueError, match="checksum differs"):
        read(path)


# Files of others


def test_empty_file_is_refused(path):
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="is not a gauda file, or is damaged: it has 0 bytes"):
        read(path)


def test_zip_is_refused(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(ValueError, match="is not a gauda file"):
        read(path)


def test_pickle_is_refused_and_not_run(path):
    path.write_bytes(b"cos\nabort\n(tR.")
    with pytest.raises(ValueError, match="is not a gauda file"):
        read(path)


@pytest.mark.parametrize(
    "metadata", [None, {"format": "pt"}, {"gauda": "no JSON"}, {"gauda": "[]"}]
)
def test_safetensors_of_others_is_refused(path, metadata):
    safetensors.numpy.save_file({"weight": np.zeros(3)}, path, metadata)
    with pytest.raises(ValueError, match="its header is not one of gauda's"):
        read(path)


def test_file_of_a_later_version_asks_for_an_upgrade(path):
    path.write_bytes(crafted(format=7, version="9.9"))
    message = r"written by gauda 9\.9 in format 7; this version, .*, reads up to format 1\. Upgrade"
    with pytest.raises(ValueError, match=message):
        read(path)


def test_missing_file_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError, match="none"):
        read(tmp_path / "none.gauda")


def test_folder_is_not_read(tmp_path):
    with pytest.raises(IsADirectoryError):
        read(tmp_path)


def test_device_is_not_read():
    with pytest.raises(ValueError, match="is a device or a pipe"):
        read("/dev/zero")


# Claims: a crafted file with a right checksum

TEXT = {"classes": np.zeros((3, 2), "u4")}


@pytest.mark.parametrize(
    ("tensors", "changes"),
    [
        ({}, {"views": {"classes": "<U1"}, "objects": []}),
        (TEXT, {"views": {"classes": "<U1000000000"}}),
        (TEXT, {"views": {"classes": "<f4"}}),
        (TEXT, {"views": {"classes": "O"}}),
        (TEXT, {"views": {"classes": "no dtype"}}),
        ({"classes": np.full((1, 1), 0x110000, "u4")}, {"views": {"classes": "<U1"}}),
        ({}, {"metadata": {"$type": "os.system"}}),
        ({}, {"metadata": {"$type": "record", "class": "Path", "fields": {}}}),
        ({}, {"metadata": {"$type": "array"}}),
        ({}, {"metadata": {"$type": "array", "dtype": "<f8", "shape": [2**60], "values": []}}),
        ({}, {"metadata": {"$type": "array", "dtype": "<f8", "shape": [2], "values": [1, "x"]}}),
        ({}, {"metadata": {"$type": "array", "dtype": "<U99999", "shape": [1], "values": ["x"]}}),
        ({}, {"metadata": {"$type": "float", "value": "x"}}),
        (TEXT, {"views": None}),
        ({}, {"checksum": 5}),
        ({}, {"objects": json.loads("[" * 500 + "]" * 500)}),
    ],
)
def test_odd_document_is_refused_without_taking_memory(path, tensors, changes):
    path.write_bytes(crafted(tensors, **changes))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="is damaged"):
            read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.parametrize("metadata", [None, 5, 1e308, True, "text", [], [1], {"left_out": 5}])
def test_metadata_that_are_no_table_are_refused(path, metadata):
    path.write_bytes(crafted(metadata=metadata))
    with pytest.raises(ValueError, match=r"small\.gauda is damaged"):
        gauda.load(path)


@pytest.mark.parametrize(
    "changes", [{"tol": 1e308}, {"tol": 10**400}, {"solver": "svd", "shrinkage": 0.5}]
)
def test_parameters_of_no_model_are_refused(path, changes):
    gauda.QDA().fit([[0.0], [1.0], [5.0], [7.0]], [0, 0, 1, 1]).save(path)
    content = read(path)
    content.metadata["parameters"] |= changes
    write(path, content.kind, content.arrays, content.metadata)
    with pytest.raises(ValueError, match=r"small\.gauda is damaged"):
        gauda.load(path)


@pytest.mark.parametrize("claim", [2**63 - 1, 2**60, 2**32, 2000])
def test_claimed_length_of_the_header_takes_no_memory(path, claim):
    path.write_bytes(claim.to_bytes(8, "little") + path.read_bytes()[8:1000])
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=f"{claim} bytes of header do not fit"):
            read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000


def test_claimed_size_of_a_tensor_takes_no_memory(path):
    header = {
        "__metadata__": {"gauda": json.dumps(DOCUMENT)},
        "x": {"dtype": "F64", "shape": [2**50], "data_offsets": [0, 2**53]},
    }
    path.write_bytes(with_header(header, body=bytes(8)))
    with pytest.raises(ValueError, match="is damaged"):
        read(path)


def test_deeply_nested_header_is_refused(path):
    text = b"[" * 100_000
    path.write_bytes(len(text).to_bytes(8, "little") + text)
    with pytest.raises(ValueError, match="is not a gauda file"):
        read(path)


# Writing


def test_write_that_fails_leaves_the_old_file_alone(path, monkeypatch):
    before = path.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write(path, "Moments", {}, {})
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_interrupted_write_leaves_no_file(tmp_path, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "new.gauda", "Moments", ARRAYS, METADATA)
    assert list(tmp_path.iterdir()) == []


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"No such folder; make it first: .*/missing'"):
        write(tmp_path / "missing" / "new.gauda", "Moments", {}, {})


def test_folder_is_not_replaced(tmp_path):
    with pytest.raises(IsADirectoryError, match="A folder has this name"):
        write(tmp_path, "Moments", {}, {})


def test_device_is_not_replaced():
    with pytest.raises(ValueError, match="is a device or a pipe"):
        write("/dev/null", "Moments", {}, {})
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_link_stays_and_its_file_is_replaced(path):
    link = path.with_name("link.gauda")
    link.symlink_to(path.name)
    write(link, "GaussianNB", {}, {})
    assert link.is_symlink()
    assert read(path).kind == "GaussianNB"


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_new_file_has_the_rights_of_any_other(tmp_path, mask):
    before = os.umask(mask)
    try:
        write(tmp_path / "new.gauda", "Moments", {}, {})
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.gauda").stat().st_mode) == 0o666 & ~mask


def test_file_that_was_private_stays_private(path):
    path.chmod(0o600)
    write(path, "GaussianNB", {}, {})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_longest_name_of_the_file_system_works(tmp_path):
    name = "x" * 255
    write(tmp_path / name, "Moments", {}, {})
    assert read(tmp_path / name) == Content("Moments", {}, {}, gauda.__version__, 1)


def test_name_may_be_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("new.gauda", "Moments", {}, METADATA)
    assert read("new.gauda").metadata == METADATA

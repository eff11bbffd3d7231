"""Machine code that was kept: damaged files are replaced, and what cannot be kept is used all the same."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest

from kernelwise._core.compile import CompiledLater, folder_for, machine_code

HERE = Path(__file__)


def twice(x, n):
    for k in range(n):
        x[k] *= 2.0


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELWISE_CACHE_DIR", str(tmp_path))
    return tmp_path


def compiled(sources=(HERE,)):
    made = machine_code(twice, ["float64[]", "int64"], sources)
    x = np.array([1.0, 3.0])
    made(x, 2)
    assert x.tolist() == [2.0, 6.0]
    return made


def test_later_calls_load_what_was_kept(cache, caplog):
    assert compiled().is_new
    made = compiled()
    assert not made.is_new
    assert made.folder.parent == cache
    assert not caplog.messages


@pytest.mark.parametrize("damage", [lambda old: b"", lambda old: b"junk", lambda old: old[:-8] + bytes(8)])
def test_damaged_files_are_replaced(cache, caplog, damage):
    compiled()
    [file] = cache.rglob("*.twice-*.o")
    file.write_bytes(damage(file.read_bytes() + b"end"))
    assert compiled().is_new
    assert len(caplog.messages) == 1
    assert "could not be loaded: the file is damaged" in caplog.text
    assert not compiled().is_new
    assert len(caplog.messages) == 1


def test_what_cannot_be_read_is_compiled_anew(cache, caplog):
    compiled()
    [file] = cache.rglob("*.twice-*.o")
    file.unlink()
    file.mkdir()
    assert compiled().is_new
    assert "could not be loaded" in caplog.text


def test_a_full_disk_costs_only_what_is_kept(cache, caplog, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert compiled().is_new
    assert "No space left on device" in caplog.text
    assert not list(cache.rglob("*.o"))


def test_another_state_of_the_file_is_compiled_anew_and_replaces_what_was_kept(cache, tmp_path):
    source = tmp_path / "source.py"
    for contents, is_new in (("a", True), ("a", False), ("b", True)):
        source.write_text(contents)  # of the same size, and maybe at the same time
        assert compiled([source]).is_new == is_new
        assert len(list(cache.rglob("*.twice-*.o"))) == 1


def test_folders(tmp_path, monkeypatch):
    assert folder_for(tmp_path / "package") == tmp_path  # the variable is set
    monkeypatch.delenv("KERNELWISE_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    package = tmp_path / "package"
    package.mkdir()
    assert folder_for(package) == package / "__pycache__"
    (package / "__pycache__").rmdir()
    (package / "__pycache__").touch()  # a file: nothing can be kept there
    assert folder_for(package) == tmp_path / "user" / "kernelwise"


@pytest.mark.parametrize(
    "wrong", [np.zeros(2, np.float32), np.zeros(4)[::2], np.zeros(2, np.int64), np.zeros((2, 2)).T]
)
def test_arrays_that_machine_code_would_misread_are_refused(wrong):
    with pytest.raises(TypeError, match="must be contiguous and of float64"):
        CompiledLater(twice, "float64[] int64")(wrong, 2)


@pytest.mark.parametrize("wrong", [np.float64(1.0), [1.0, 2.0], None])
def test_what_is_no_array_is_refused(wrong):
    # A number of NumPy has a dtype and is contiguous, and its value would be read as an address.
    with pytest.raises(TypeError, match="must be an array"):
        CompiledLater(twice, "float64[] int64")(wrong, 1)


def test_numbers_of_types_that_are_not_passed_on_are_refused():
    def put(x, number):
        x[0] = number

    with pytest.raises(KeyError, match="2"):
        CompiledLater(put, "float64[] float32").machine_code()

"""Machine code that was kept: damaged files are replaced, and what cannot be kept is used all the same."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kernelwise._core.compile import CompiledLater, machine_code
from kernelwise._core.kept_code import Sources, folder_for, folders

HERE = Path(__file__)


def twice(x, n):
    for k in range(n):
        x[k] *= 2.0


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELWISE_CACHE_DIR", str(tmp_path))
    return tmp_path


def compiled(sources=(HERE,)):
    made = machine_code(twice, ["float64[]", "int64"], Sources(sources))
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


def test_the_folder_that_is_given_may_begin_with_the_home_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("KERNELWISE_CACHE_DIR", os.path.join("~", "compiled"))
    assert folders(tmp_path / "sources") == [tmp_path / "compiled"]


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


def test_code_in_a_folder_that_cannot_be_written_is_used(tmp_path, monkeypatch):
    # As in an image where root ran "kernelwise warmup", and another user runs programs.
    monkeypatch.delenv("KERNELWISE_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    source = tmp_path / "package" / "source.py"
    source.parent.mkdir()
    source.touch()
    kept = compiled([source]).folder
    assert kept.parent == source.parent / "__pycache__"
    can_write = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "package" not in str(path) and can_write(path, mode))
    made = compiled([source])
    assert not made.is_new
    assert made.folder == kept
    source.write_text("changed")
    assert compiled([source]).folder.parent == tmp_path / "user" / "kernelwise"


def test_a_user_without_a_home_gets_no_folder_of_that_name(tmp_path, monkeypatch, caplog):
    monkeypatch.delenv("KERNELWISE_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__pycache__").touch()
    assert folder_for(tmp_path / "package") is None
    assert not (tmp_path / "~").exists()


def test_installations_that_share_a_folder_leave_each_other_what_they_kept(tmp_path):
    sources = [tmp_path / name / "source.py" for name in ("one", "two")]
    for source in sources:
        source.parent.mkdir()
        source.write_text(source.parent.name)
        assert compiled([source]).is_new
    assert not any(compiled([source]).is_new for source in sources)


def test_parts_of_files_that_an_ended_process_left_are_removed(cache):
    compiled()
    [file] = cache.rglob("*.twice-*.o")
    old, new = file.with_suffix(".123"), file.with_suffix(".124")
    for part in (old, new):
        part.touch()
    os.utime(old, (0, 0))
    file.unlink()
    compiled()
    assert not old.exists()
    assert new.exists()


def test_files_that_changed_since_they_were_imported_are_not_compiled(tmp_path):
    source = tmp_path / "source.py"
    source.write_text("as imported")
    sources = Sources([source])
    machine_code(twice, ["float64[]", "int64"], sources)
    source.write_text("installed since then")
    # What is kept belongs to what was imported.
    assert not machine_code(twice, ["float64[]", "int64"], sources).is_new
    with pytest.raises(RuntimeError, match=r"have changed since Python imported them.* start Python"):
        machine_code(twice, ["float64[]", "int64", "int64"], sources)


@pytest.mark.parametrize("files", [[], [Path("nowhere.py")]])
def test_missing_sources_are_named(files):
    with pytest.raises(RuntimeError, match=r"install kernelwise with its \.py files"):
        machine_code(twice, ["float64[]", "int64"], Sources(files))


FORK = """
import os, threading, time
import numpy as np
from kernelwise.kernels import city_block
from kernelwise.solvers.compiled.machine_code import compiled_smo
other = threading.Thread(target=compiled_smo, args=(np.dtype(float), np.dtype(float)))
other.start()
time.sleep(0.1)  # it compiles meanwhile
child = os.fork()
if child == 0:
    city_block.city_block_distances(np.zeros((3, 2)))
    compiled_smo(np.dtype(float), np.dtype(float))
    os._exit(0)
other.join()
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows starts no process in this way")
def test_a_process_that_is_forked_while_a_thread_compiles_can_compile():
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["0"], done.stderr

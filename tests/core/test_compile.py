"""Machine code that was kept: damaged files are replaced, and what cannot be kept is used all the same."""

from __future__ import annotations

import errno

import numba
import pytest

from kernelwise._core.compile import compiled_for, kept_for_state


def twice(x):
    return 2.0 * x


def half(x):  # gets another name
    return 0.5 * x


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def compiled(function=twice):
    made = compiled_for("float64(float64)")(function)
    assert made(3.0) == 6.0
    return made


def test_later_calls_load_what_was_kept(cache, caplog):
    assert compiled().stats.cache_misses
    assert compiled().stats.cache_hits
    assert not caplog.messages


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("contents", [b"", b"junk", b"\x80\x05."])
def test_damaged_files_are_replaced(cache, caplog, ending, contents):
    compiled()
    [file] = cache.rglob(f"*.twice-*.{ending}")
    file.write_bytes(contents)
    compiled()
    assert len(caplog.messages) == 1
    assert "The compiled code of twice could not be loaded" in caplog.text
    assert compiled().stats.cache_hits
    assert len(caplog.messages) == 1


def test_a_full_disk_costs_only_what_is_kept(cache, caplog, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", full)
    assert len(compiled().stats.cache_misses) == 1
    assert "No space left on device" in caplog.text
    assert not list(cache.rglob("*.nb[ic]"))


def test_an_error_of_the_function_itself_is_raised(cache):
    with pytest.raises(numba.TypingError):
        compiled(lambda x: x.nothing)


def test_a_compiler_that_is_switched_off_leaves_functions_as_they_are(monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert compiled() is twice


def test_another_state_of_the_file_is_compiled_anew_and_replaces_what_was_kept(cache, tmp_path):
    source = tmp_path / "source.py"
    compile_it = compiled_for("float64(float64)")
    for contents, is_new in (("a", True), ("a", False), ("b", True)):
        source.write_text(contents)  # of the same size, and maybe at the same time
        made = kept_for_state(compile_it, half, [source])
        assert bool(made.stats.cache_misses) == is_new
        assert len(list(cache.rglob("*.half_*.nbi"))) == 1

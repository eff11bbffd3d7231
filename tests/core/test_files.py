"""Files that are written whole or not at all, where the system does not let us."""

from __future__ import annotations

import errno

import pytest

from kernelwise._core import files


def test_a_file_that_cannot_be_replaced_is_named(tmp_path, monkeypatch):
    """As on Windows, where another program has it open: the old file stays, and nothing is left beside it."""
    path = tmp_path / "predictions.csv"
    path.write_bytes(b"old")

    def refuse(source, target):
        raise PermissionError(errno.EACCES, "Access is denied", source, None, target)

    monkeypatch.setattr(files.os, "replace", refuse)
    with (
        pytest.raises(PermissionError, match=r"Access is denied: .*predictions\.csv'$"),
        files.whole_file(path) as file,
    ):
        file.write(b"new")
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [b"old"]

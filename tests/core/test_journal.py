"""The journal: finished cells survive, torn lines do not, and other work is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from kernelwise._core.journal import Journal, fingerprint

ABOUT = {"data": "abc", "folds": 5}


@pytest.fixture
def path(tmp_path):
    with Journal(tmp_path / "some.jsonl", ABOUT) as journal:
        journal["a/0"] = [0.1, 1 / 3]
        journal["b/ü"] = None
    return tmp_path / "some.jsonl"


def test_cells_are_found_again_to_the_last_bit(path):
    with Journal(path, ABOUT) as journal:
        assert dict(journal) == {"a/0": [0.1, 1 / 3], "b/ü": None}
        assert journal.n_found == len(journal) == 2
        journal["c"] = 1
        assert journal.n_found == 2
    with Journal(path, ABOUT) as journal:
        assert list(journal) == ["a/0", "b/ü", "c"]


def test_cut_off_anywhere_it_keeps_all_whole_lines_and_goes_on(path):
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        n_lines = whole[:cut].count(b"\n")
        with Journal(path, ABOUT) as journal:
            assert len(journal) == max(n_lines - 1, 0)
            journal["new"] = 7
        assert path.read_bytes() == b"".join(lines[: max(n_lines, 1)]) + b'["new", 7]\n'


def test_cells_are_on_the_disk_before_the_journal_is_closed(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append((tmp_path / "j").read_bytes()))
    journal = Journal(tmp_path / "j", ABOUT)
    journal["a"] = 1
    assert [len(state.splitlines()) for state in synced] == [1, 2]
    journal.close()


@pytest.mark.parametrize(
    ("about", "says"),
    [
        ({"data": "x" * 64, "folds": 5}, "its data is abc, not xxxxxxxxxxxx…"),
        ({"data": "abc", "folds": 3}, "its folds is 5, not 3"),
        ({"data": "abc"}, "its folds is 5, not missing"),
        ({**ABOUT, "seed": 1}, "its seed is missing, not 1"),
    ],
)
def test_other_work_is_refused_by_name_and_left_alone(path, about, says):
    before = path.read_bytes()
    with pytest.raises(ValueError, match=says):
        Journal(path, about)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "contents", [b"a,b,label\n1,2,3\n", b"no newline", b"[1, 2]\n", b"\xff\xfe\n", b'{"a": 1}\n', b"\n"]
)
def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path, contents):
    path = tmp_path / "precious.csv"
    path.write_bytes(contents)
    with pytest.raises(ValueError, match=r"precious.csv is not a journal"):
        Journal(path, ABOUT)
    assert path.read_bytes() == contents


def test_damage_inside_is_refused_with_the_line(path):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:5] + b"\n" + lines[2])
    with pytest.raises(ValueError, match="damaged in line 2"):
        Journal(path, ABOUT)


def test_another_format_is_refused(path):
    head, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(json.dumps({**json.loads(head), "kernelwise journal": 99}).encode() + b"\n" + rest)
    with pytest.raises(ValueError, match="format 99"):
        Journal(path, ABOUT)


def test_two_processes_cannot_write_one_journal(path):
    code = f"from kernelwise._core.journal import Journal; Journal({str(path)!r}, {ABOUT!r})"
    with Journal(path, ABOUT):
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "is in use by another process" in other.stderr
    with Journal(path, ABOUT) as journal:  # a closed one is free
        assert len(journal) == 2


def test_it_only_grows_and_takes_only_what_json_has(path):
    with Journal(path, ABOUT) as journal:
        with pytest.raises(TypeError, match="only grows"):
            del journal["a/0"]
        before = path.read_bytes()
        with pytest.raises(ValueError, match="JSON compliant"):
            journal["bad"] = float("nan")
        assert path.read_bytes() == before
        assert "bad" not in journal


def test_fingerprints_differ_where_the_data_do():
    X, y = np.arange(6.0).reshape(3, 2), np.array(["a", "b", "a"])
    changed = X.copy()
    changed[2, 1] += 1e-12
    prints = [
        fingerprint(X, y),
        fingerprint(changed, y),
        fingerprint(X.reshape(2, 3), y),
        fingerprint(X, y[::-1][[0, 0, 1]]),
        fingerprint(X.astype(np.float32), y),
        fingerprint(sparse.csr_array(X), y),
        fingerprint(sparse.csr_array(changed), y),
    ]
    assert len(set(prints)) == len(prints)
    assert fingerprint(np.asfortranarray(X), y.astype(object)) == fingerprint(X.copy(), y)

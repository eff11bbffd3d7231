"""The journal: finished cells survive a kill at any moment, and other work is refused."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from kernelwise._core.journal import Journal, fingerprint

ABOUT = {"data": "abc", "folds": 5}


@pytest.fixture
def path(tmp_path):
    with Journal(tmp_path / "some.journal", ABOUT) as journal:
        journal["a/0"] = [0.1, 1 / 3]
        journal["b/ü"] = None
    return tmp_path / "some.journal"


def test_cells_are_found_again_to_the_last_bit(path):
    with Journal(path, ABOUT) as journal:
        assert dict(journal) == {"a/0": [0.1, 1 / 3], "b/ü": None}
        assert journal.n_found == len(journal) == 2
        journal["c"] = 1
        assert journal.n_found == 2
    with Journal(path, ABOUT) as journal:
        assert list(journal) == ["a/0", "b/ü", "c"]


def test_cut_off_anywhere_it_opens_or_says_what_is_wrong(path):
    whole = path.read_bytes()
    for cut in (*range(0, len(whole), 61), len(whole)):
        path.write_bytes(whole[:cut])
        if cut in (0, len(whole)):
            with Journal(path, ABOUT) as journal:
                assert len(journal) == (2 if cut else 0)
            continue
        with pytest.raises(ValueError, match=r"some.journal is (damaged|not a journal)"):
            Journal(path, ABOUT)
        assert path.read_bytes() == whole[:cut]


WRITER = """
import itertools, sys
from kernelwise._core.journal import Journal
journal = Journal(sys.argv[1], {about!r})
for k in itertools.count(len(journal)):
    journal[str(k)] = [k] * (k % 7 * 300)
    print(k, flush=True)
"""


@pytest.mark.slow
def test_killed_at_any_moment_it_keeps_all_finished_cells(tmp_path):
    draw = random.Random(0)
    for _ in range(10):
        command = [sys.executable, "-c", WRITER.format(about=ABOUT), str(tmp_path / "j")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            first = writer.stdout.readline()
            time.sleep(draw.random() * 0.02)
            writer.kill()
            n_done = int((first + writer.stdout.read()).split()[-1]) + 1
        with Journal(tmp_path / "j", ABOUT) as journal:
            assert len(journal) in (n_done, n_done + 1)  # the last may be written and not yet said
            assert all(journal[str(k)] == [k] * (k % 7 * 300) for k in range(len(journal)))
        assert os.listdir(tmp_path) == ["j"]


def test_cells_are_on_the_disk_before_the_next_and_nothing_stays_beside_a_closed_journal(tmp_path):
    with Journal(tmp_path / "j", ABOUT) as journal:
        for k in range(3):
            journal[str(k)] = k
            # Read as it lies there, without asking whether it is locked.
            database = sqlite3.connect(f"file:{tmp_path / 'j'}?immutable=1", uri=True)
            assert database.execute("SELECT COUNT(*) FROM cells").fetchone() == (k + 1,)
            database.close()
        assert journal._database.execute("PRAGMA synchronous").fetchone() == (3,)
    assert os.listdir(tmp_path) == ["j"]


def test_many_threads_write_one_journal(path):
    with Journal(path, ABOUT) as journal, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda k: journal.update({str(k): [k] * k}), range(100)))
    with Journal(path, ABOUT) as journal:
        assert journal.n_found == 102
        assert all(journal[str(k)] == [k] * k for k in range(100))


@pytest.mark.parametrize(
    ("about", "says"),
    [
        ({"data": "x" * 64, "folds": 5}, "its data is abc, not xxxxxxxxxxxx…"),
        ({"data": "abc", "folds": 3}, "its folds is 5, not 3"),
        ({"data": "abc"}, "its folds is 5, not missing"),
        ({**ABOUT, "seed": 1}, "its seed is missing, not 1"),
        ({**ABOUT, "seed": None}, "its seed is missing, not None"),
    ],
)
def test_other_work_is_refused_by_name_and_left_alone(path, about, says):
    before = path.read_bytes()
    with pytest.raises(ValueError, match=says):
        Journal(path, about)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "contents",
    [
        b"a,b,label\n1,2,3\n",
        b"no newline",
        b"[1, 2]\n",
        b"\xff\xfe\n",
        b'{"a": 1}\n',
        b"\n",
        b"SQLite format 3\0",
    ],
)
def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path, contents):
    path = tmp_path / "precious.csv"
    path.write_bytes(contents)
    with pytest.raises(ValueError, match=r"precious.csv is not a journal"):
        Journal(path, ABOUT)
    assert path.read_bytes() == contents


def change(path, statement):
    database = sqlite3.connect(path)
    with database:
        database.execute(statement)
    database.close()


def test_a_database_of_somebody_else_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "precious.db"
    change(path, "CREATE TABLE cells (name, value)")
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"precious.db is not a journal"):
        Journal(path, ABOUT)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["precious.db"]


@pytest.mark.parametrize("torn", [b"", b'["b", 0.'])
def test_a_journal_of_an_earlier_version_is_refused_and_left_alone(tmp_path, torn):
    path = tmp_path / "old.journal"
    contents = b'{"kernelwise journal": 1, "data": "abc", "folds": 5}\n["a", 1]\n' + torn
    path.write_bytes(contents)
    with pytest.raises(
        ValueError, match=r"written by an earlier version of kernelwise.* remove this one to start"
    ):
        Journal(path, ABOUT)
    assert path.read_bytes() == contents


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE cells SET value = '[0.1, 0.' WHERE rowid = 1",
        "UPDATE cells SET value = '0.75' WHERE rowid = 1",
        "UPDATE cells SET name = 'other' WHERE rowid = 1",
        "UPDATE about SET value = x'ff'",
        "UPDATE cells SET value = CAST(x'ff' AS TEXT)",
        "DROP TABLE cells",
        "ALTER TABLE about RENAME COLUMN value TO other",
    ],
)
def test_damage_inside_is_refused(path, statement):
    change(path, statement)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"some.journal is damaged( \(.*\))?\. Use another file") as told:
        Journal(path, ABOUT)
    assert path.read_bytes() == before
    assert "SET value = '" not in statement or "the part 'a/0' was changed" in str(told.value)


def test_damaged_pages_are_refused(path):
    with Journal(path, ABOUT) as journal:
        journal["long"] = list(range(5000))
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\7" * (len(whole) - 4096))
    with pytest.raises(ValueError, match=r"some.journal is damaged"):
        Journal(path, ABOUT)


def test_another_format_is_refused(path):
    change(path, "PRAGMA user_version = 99")
    with pytest.raises(ValueError, match="format 99"):
        Journal(path, ABOUT)


def test_what_cannot_be_written_is_said_in_the_words_of_the_system(tmp_path):
    with pytest.raises(IsADirectoryError):
        Journal(tmp_path, ABOUT)
    with pytest.raises(FileNotFoundError):
        Journal(tmp_path / "no" / "j", ABOUT)
    with Journal(tmp_path / "j", ABOUT) as journal:
        n_pages = journal._database.execute("PRAGMA page_count").fetchone()[0]
        journal._database.execute(f"PRAGMA max_page_count = {n_pages}")
        with pytest.raises(OSError, match=r"j cannot be written: database or disk is full\."):
            journal["long"] = list(range(5000))
        assert "long" not in journal
        journal["short"] = 1
    with pytest.raises(OSError, match=r"j is closed\. Open it again to write to it\.$"):
        journal["late"] = 1
    with Journal(tmp_path / "j", ABOUT) as journal:
        assert dict(journal) == {"short": 1}


@pytest.fixture
def folder_of_a_plain_user(tmp_path_factory):
    """A folder of a user who is not root, and this process as that user: root may write anywhere."""
    if os.getuid() != 0:
        yield tmp_path_factory.mktemp("plain")
        return
    nobody = 65534
    with tempfile.TemporaryDirectory() as folder:  # only root may look into pytest's own
        os.chown(folder, nobody, nobody)
        os.seteuid(nobody)
        try:
            yield Path(folder)
        finally:
            os.seteuid(0)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no modes of folders")
def test_a_folder_or_file_that_may_only_be_read_is_said(folder_of_a_plain_user):
    folder = folder_of_a_plain_user
    path = folder / "some.journal"
    with Journal(path, ABOUT) as journal:
        journal["a/0"] = 1
    folder.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            Journal(folder / "new", ABOUT)
        with (
            pytest.raises(OSError, match="needs a folder with write permission"),
            Journal(path, ABOUT) as journal,
        ):
            journal["c"] = 1
        path.chmod(0o400)
        with pytest.raises(PermissionError):
            Journal(path, ABOUT)
    finally:
        folder.chmod(0o700)


def test_two_processes_cannot_write_one_journal(path):
    code = f"from kernelwise._core.journal import Journal; Journal({str(path)!r}, {ABOUT!r})"
    with Journal(path, ABOUT):
        with pytest.raises(ValueError, match="is already open, here or in another process"):
            Journal(path, ABOUT)
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "is already open, here or in another process" in other.stderr
    with Journal(path, ABOUT) as journal:  # a closed one is free
        assert len(journal) == 2


def test_it_only_grows_and_takes_only_what_json_has(path):
    with Journal(path, ABOUT) as journal:
        with pytest.raises(TypeError, match="only grows"):
            del journal["a/0"]
        before = path.read_bytes()
        with pytest.raises(ValueError, match=r"neither NaN nor NumPy numbers: .*JSON compliant"):
            journal["bad"] = float("nan")
        with pytest.raises(TypeError, match=r"neither NaN nor NumPy numbers: .*int64"):
            journal["bad"] = [np.int64(1)]
        assert path.read_bytes() == before
        assert "bad" not in journal
    with pytest.raises(TypeError, match="NumPy numbers"):
        Journal(path.parent / "new", {"folds": np.int64(5)})
    assert not (path.parent / "new").exists()


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

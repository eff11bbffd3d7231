"""``kernelwise reproduce``: pages, a journal to go on from, and a check of the data."""

from __future__ import annotations

import sys

import pytest
from sklearn.datasets import load_digits

from kernelwise.cli.app import main
from kernelwise.datasets import available

LOADER = "kernelwise.datasets.loader"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that alone is looked at for data, with the hashes of the manifest."""
    monkeypatch.setenv("KERNELWISE_DATA", str(tmp_path))
    monkeypatch.setattr(f"{LOADER}.__file__", str(tmp_path / "package" / "loader.py"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_page_is_written_and_goes_on_from_its_journal(tmp_path, capsys):
    found = []
    for folder in ("first", "second"):
        command = [
            "reproduce",
            "glasmachers",
            "--quick",
            "--only",
            "theorems",
            "--out",
            str(tmp_path / folder),
        ]
        assert main([*command, "--journal", str(tmp_path / "all.journal")]) == 0
        found.append({path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()})
    assert found[0] == found[1]
    page = found[0]["glasmachers.md"].decode()
    assert "command: `kernelwise reproduce glasmachers --quick --only theorems`" in page
    assert page.splitlines()[2].startswith("**A quick run: ")
    out, err = capsys.readouterr()
    assert out.count("  glasmachers/theorems/0") == 1  # the second run computes nothing
    assert "has 0 finished cells" in err + out


def test_without_matplotlib_tables_and_verdicts_are_the_same(tmp_path, monkeypatch, capsys):
    found = []
    for folder in ("with", "without"):
        if folder == "without":
            monkeypatch.setitem(sys.modules, "matplotlib", None)
        out = tmp_path / folder
        assert main(["reproduce", "ayat", "--only", "kernels,signs,claims", "--out", str(out)]) == 0
        found.append({path.name: path.read_bytes() for path in out.iterdir()})
    drawn, plain = found
    assert {*drawn} - {*plain} == {"ayat_figure1.svg"}
    tables = [name for name in plain if name.endswith(".csv")]
    assert {"ayat_claims.csv", "ayat_figure1.csv", "ayat_signs.csv"} <= {*tables}
    assert all(drawn[name] == plain[name] for name in tables)
    assert "10 of 10 signs are right" in plain["ayat_claims.csv"].decode()
    said = capsys.readouterr().out
    assert said.count("matplotlib") == 1
    assert "these figures are missing, and nothing else: figure1." in said


def test_only_is_of_one_study(capsys):
    assert main(["reproduce", "all", "--only", "claims"]) == 2
    assert "Name that study instead of all" in capsys.readouterr().err


def test_the_command_line_checks_the_data(folder, monkeypatch, capsys):
    def offline(**_):
        raise OSError("no network")

    monkeypatch.setattr(f"{LOADER}.fetch_openml", offline)
    X, y = load_digits(return_X_y=True)
    rows = (",".join(str(int(value)) for value in (*row, label)) for row, label in zip(X, y, strict=True))
    (folder / "optdigits.tes").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert main(["reproduce", "ayat", "--check-data"]) == 2
    out, err = capsys.readouterr()
    assert "iris: sha256 aa06b8008ceb" in out
    assert "optdigits_train: not there: Data set" in out
    assert "4 data sets could not be read" in err
    assert main(["reproduce"]) == 2
    assert "Name a study: abe" in capsys.readouterr().err


def test_every_set_of_the_studies_is_known(capsys):
    main(["reproduce", "--check-data"])
    names = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert len(names) > 20
    assert set(names) <= set(available())

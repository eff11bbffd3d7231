"""The data of the studies: all in the manifest, and checked by ``kernelwise reproduce --check-data``."""

from __future__ import annotations

import pytest
from sklearn.datasets import load_digits

from kernelwise.cli.app import main
from kernelwise.datasets import loader
from kernelwise.datasets.manifest import SOURCES, resolve
from kernelwise.studies import study as studies


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that alone is looked at, with the hashes of the manifest."""
    monkeypatch.setenv(loader.ENVIRONMENT_VARIABLE, str(tmp_path))
    monkeypatch.setattr(loader, "__file__", str(tmp_path / "package" / "loader.py"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_set_of_a_study_is_in_the_manifest():
    for name in studies.NAMES:
        module = __import__(f"kernelwise.studies.{name}", fromlist=["DATA"])
        assert {file for data in module.DATA for file in resolve(data, None)} <= set(SOURCES)


def test_the_command_line_checks_the_data(folder, monkeypatch, capsys):
    def offline(**_):
        raise OSError("no network")

    monkeypatch.setattr(loader, "fetch_openml", offline)
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

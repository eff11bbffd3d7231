"""benchmarks.field: cells that are kept, means over the same sets, and what pip installs."""

import json

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from benchmarks import field
from kernelwise import SVC

SETS = ["iris", "banknote"]


class TwoClasses(LogisticRegression):
    """A rival that cannot do everything."""

    def fit(self, X, y):
        if len(np.unique(y)) > 2:
            raise ValueError("two classes only")
        return super().fit(X, y)


@pytest.fixture
def small(monkeypatch):
    """Three classes under the name of iris, two under that of banknote, and rivals that take no time."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    three = np.digitize(X[:, 0] + 0.3 * rng.normal(size=90), [-0.5, 0.5])
    targets = {"iris": three, "banknote": (three > 0).astype(int)}
    monkeypatch.setattr(field.forests, "read", lambda name, folder: (X, targets[name]))
    rivals = {"kernelwise": LogisticRegression(), "xrfm": TwoClasses(), "random forest": DummyClassifier()}
    monkeypatch.setattr(field, "estimator_of", lambda rival, task: rivals[rival])
    about = {"version": "1", "licence": "MIT", "megabytes": 2.0}
    monkeypatch.setattr(field, "about", lambda rival: about)
    return rivals


def ran(folder, rival, folds=2):
    field.main(["--here", "--rivals", rival, "--sets", *SETS, "--folds", str(folds), "--out", str(folder)])
    return field.cells_of(field.file_of(rival, folder))


def test_a_run_keeps_cells_and_goes_on(tmp_path, small, monkeypatch):
    cells = ran(tmp_path, "kernelwise", folds=1)
    assert list(cells) == [("iris", 0), ("banknote", 0)]

    monkeypatch.setattr(field, "measured", lambda *_: {"score": 0.125})
    cells = ran(tmp_path, "kernelwise")
    assert list(cells) == [(name, fold) for fold in range(2) for name in SETS]
    assert [cell["score"] == "0.125" for cell in cells.values()] == [False, False, True, True]

    (tmp_path / "kernelwise.json").write_text(json.dumps({"version": "0", "rows": 800}))
    with pytest.raises(SystemExit, match="is of version 0, not 1"):
        ran(tmp_path, "kernelwise")


def test_a_rival_that_fails_on_a_set_is_compared_on_the_others(tmp_path, small, capsys):
    cells = {rival: ran(tmp_path, rival) for rival in small}
    assert cells["xrfm"]["iris", 0]["why"] == "ValueError: two classes only"
    ours, partial, guess = field.table(tmp_path)
    scores = [[float(cells["kernelwise"][name, fold]["score"]) for fold in range(2)] for name in SETS]
    assert ours["accuracy"] == f"{100 * np.mean(scores):.2f}"
    same = f"{100 * np.mean(scores[1]):.2f}"
    assert partial["accuracy"] == f"{same} (of 1; ours {same})"
    assert float(guess["accuracy"]) < float(ours["accuracy"])
    assert guess["R²"] == "–"
    capsys.readouterr()
    field.main(["--rivals", "--out", str(tmp_path)])
    assert f"| kernelwise | 1 | {ours['accuracy']} |" in capsys.readouterr().out


def test_the_table_has_the_cells_that_kernelwise_has(tmp_path, small):
    ran(tmp_path, "kernelwise", folds=1)
    cells = ran(tmp_path, "random forest", folds=3)
    _, guess = field.table(tmp_path)
    first = [float(cells[name, 0]["score"]) for name in SETS]
    assert guess["accuracy"] == f"{100 * np.mean(first):.2f}"


def test_what_a_package_needs():
    common = set(field.needed("scikit-learn"))
    assert {"scikit-learn", "numpy", "scipy", "joblib", "threadpoolctl"} <= common
    assert "pytest" not in common  # of an extra
    assert list(field.needed("no-such-package")) == []
    assert field.about("random forest")["megabytes"] == 0.0  # nothing beside scikit-learn


def test_sizes_of_models():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    assert field.saved_bytes(SVC().fit(X, y)) > X.nbytes / 2
    assert field.saved_bytes(LogisticRegression().fit(X, y)) > 100
    assert field.saved_bytes(field.LiquidSVM()) is None

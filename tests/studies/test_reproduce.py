"""All quick studies, smaller still."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from kernelwise.selection import rbf_select
from kernelwise.studies import (
    abe,
    ayat,
    beyond,
    laanaya,
    yin,
)
from kernelwise.studies.ayat import searches
from kernelwise.studies.beyond import Data, outer_splits
from kernelwise.studies.glasmachers import local_optima
from kernelwise.studies.study import NAMES
from kernelwise.studies.writing import write


@pytest.fixture
def tiny(monkeypatch):
    """One small set and a method or two for every study."""
    X, y = load_iris(return_X_y=True)
    some = np.random.default_rng(0).permutation(150)[:60]
    monkeypatch.setattr(abe, "QUICK_SETS", ("iris",))
    monkeypatch.setattr(searches, "SIZES", (60, 40, 40))
    methods = searches.methods(2, 1)
    monkeypatch.setattr(searches, "methods", lambda *limits: [methods[0], methods[4], methods[5]])
    monkeypatch.setattr(
        ayat, "PARTS", {part: ayat.PARTS[part] for part in ("kernels", "posterior", "synthetic", "claims")}
    )
    monkeypatch.setattr(local_optima, "QUICK_SETS", ("iris",))
    monkeypatch.setattr(laanaya, "methods", lambda kernel: {"SVM (RBF + grid)": rbf_select})
    monkeypatch.setattr(laanaya, "PARTS", {"weston": laanaya.weston})
    monkeypatch.setattr(yin, "load_or_say", {"banknote": (X[50:], y[50:])}.get)
    monkeypatch.setattr(yin, "IMAGES", ((2, 2),))
    monkeypatch.setattr(yin, "WIDE", ((1, 3), (2, 3)))
    chosen = [method for method in beyond.METHODS if method.name in FEW]
    monkeypatch.setattr(beyond, "METHODS", chosen)
    wine = load_wine(return_X_y=True)
    few = {"iris": (X[some], y[some]), "wine": [part[::3] for part in wine]}
    sets = {name: Data(X, y, outer_splits(y, 30, 2)) for name, (X, y) in few.items()}
    monkeypatch.setattr(beyond, "load_sets", lambda study: sets)


FEW = ("rbf, dbtc", "rbf, kta", "rbf, scikit-learn's defaults")
#: Of the parts and methods that are left.
FIGURES = (
    "abe_curves",
    *(f"ayat_figure{number}" for number in (1, 2, 3, 5)),
    *(f"glasmachers_{name}" for name in ("patterns", "optima", "pairs")),
    *(f"yin_{name}" for name in ("figure2", "figure3", "figures4to7", "figure8", "figure9")),
    *(f"beyond_{name}" for name in ("ranks", "time")),
)


@pytest.mark.slow
def test_all_studies_write_pages_and_go_on_from_the_journal(tiny, tmp_path, run):
    pages = {name: f"{name}.md" for name in NAMES}
    found = []
    journal, n_cells = {}, []
    # Of all studies, and of one again, which draws no more than its own figures.
    for names, folder in ((NAMES, "first"), (("abe",), "second")):
        for name in names:
            write(run(name, journal=journal), tmp_path / folder)
        n_cells.append(len(journal))
        found.append({path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()})
    # The second run computes nothing: times are those of the first.
    assert found[1] == {name: text for name, text in found[0].items() if name.startswith("abe")}
    assert n_cells[0] == n_cells[1]
    assert "abe/own/iris/RBF (s)" in journal
    for name, page in pages.items():
        text = found[0][page].decode()
        assert f"command: `kernelwise reproduce {name} --quick`" in text
        assert text.splitlines()[2].startswith("**A quick run: ")
        assert not any(verdict in text for verdict in ("| holds", "does not hold", "cannot be judged"))
        assert f"{name}_" in text
    figures = sorted(name.removesuffix(".svg") for name in found[0] if name.endswith(".svg"))
    assert figures == sorted(FIGURES)


def test_beyond_ranks_methods_on_the_same_folds(tiny, run, rows):
    study = run("beyond")
    best = rows(study, "methods")
    assert [row["average rank"] for row in best] == sorted(row["average rank"] for row in best)
    cells = rows(study, "cells")
    assert {row["method"] for row in cells} == set(FEW)
    for row in rows(study, "accuracy"):
        means = [100 * cell["accuracy"] for cell in cells if cell["method"] == row["method"]]
        assert [row["iris"], row["wine"]] == pytest.approx(means)
    assert {row["kind"] for row in rows(study, "when")} >= {
        "all",
        "more classes",
        "up to 300 rows to learn from",
    }
    assert study.sentences == []  # of a quick run

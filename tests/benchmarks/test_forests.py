"""benchmarks.forests: which rows, and which tables."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from benchmarks import forests


def test_classes_with_fewer_rows_than_folds_are_left_out():
    y = np.repeat([0, 1, 2], [40, 30, 3])
    X, kept = forests.cut(np.arange(73.0)[:, None], y, 100, "classification")
    assert np.unique(kept).tolist() == [0, 1]
    assert y[X[:, 0].astype(int)].tolist() == kept.tolist()
    assert len(forests.cut(X, kept, 50, "regression")[1]) == 50


def test_a_run_prints_its_tables_and_goes_on(tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=60) > 0).astype(int)
    monkeypatch.setattr(forests, "read", lambda name, folder: (X, y))
    rivals = {"usual": LogisticRegression(), "guess": DummyClassifier()}
    monkeypatch.setattr(forests, "methods", lambda task, efforts: rivals)
    command = ["--sets", "iris", "banknote", "--out", str(tmp_path / "out")]
    forests.main(command)
    first = capsys.readouterr().out
    lines, _, tables = first.partition("\n\n## accuracy\n")
    assert len(lines.splitlines()) == 4  # heads, a line for each set, the means
    assert lines.splitlines()[-1].startswith("mean of 2")
    rows = [row.split(" | ") for row in tables.partition("\n## log_loss\n\n")[2].splitlines()]
    assert [row[0] for row in rows[2:]] == ["| iris", "| banknote", "| mean of 2"]
    assert float(rows[2][2]) < float(rows[2][3].rstrip(" |")) == pytest.approx(np.log(2), rel=0.02)

    def never(*_, **__):
        raise AssertionError("the journal has this cell")

    monkeypatch.setattr(LogisticRegression, "fit", never)
    forests.main([*command, "--methods", "guess"])
    assert "usual" not in capsys.readouterr().out
    forests.main(command)
    assert capsys.readouterr().out == first


def test_leads_are_means_over_the_sets_with_their_errors():
    gains = np.array([0.02, 0.04, -0.03])
    rows = [{"set": "abc"[k], "rows": 9, "kernelwise": 0.5 + gains[k], "rival": 0.5} for k in range(3)]
    (more,), (less,) = (forests.leads({measure: rows}) for measure in ("accuracy", "log_loss"))
    assert (more["sets"], "kernelwise" in more) == (3, False)
    assert more["rival"] == f"+0.01 ± {gains.std(ddof=1) / np.sqrt(3):.2g}, ahead on 2"
    assert less["rival"] == more["rival"].replace("+", "-").replace("on 2", "on 1")

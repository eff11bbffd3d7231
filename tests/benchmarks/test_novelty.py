"""benchmarks.novelty: what is trained on, what is scored, and the table of means."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks import novelty


def test_rows_are_trained_on_labelled_or_scored_and_never_two_of_them():
    y = np.repeat([0, 1, 2], [200, 100, 10])
    X = np.arange(310.0)[:, None]
    found = list(novelty.class_problems("name", X, y, 0))
    assert [problem.name for problem in found] == ["name, 0, 0%", "name, 1, 5%"]  # a class of 10 is too small
    for problem, label, n_strange in zip(found, (0, 1), (0, 3), strict=True):
        parts = [part[:, 0].astype(int) for part in (problem.X, problem.outliers, problem.X_test)]
        assert len(np.unique(np.concatenate(parts))) == sum(map(len, parts))
        assert (y[parts[0]] != label).sum() == n_strange
        assert (y[parts[1]] != label).all()
        assert np.array_equal(problem.y_test, np.where(y[parts[2]] == label, 1, -1))
    dirty, clean = novelty.anomaly_problems("ad_name", X, (np.arange(310) % 10 == 0).astype(int), 0)
    assert (dirty.X[:, 0] % 10 == 0).any()
    assert not (clean.X[:, 0] % 10 == 0).any()
    assert (clean.outliers[:, 0] % 10 == 0).all()
    assert not np.isin(dirty.X, dirty.X_test).any()


def test_table_of_means_has_the_lead_and_its_error(tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(0)
    for name in ("one", "two"):
        table = pd.DataFrame(rng.normal(size=(120, 2)), columns=["a", "b"])
        table["label"] = np.repeat([0, 1], 60)
        table.loc[60:, "a"] += 4.0
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    wanted = [novelty.OURS, novelty.LABELLED, "OneClassSVM"]
    command = ["--tables", str(tmp_path), "--sets", "one", "two", "none", "--out", str(tmp_path)]
    novelty.main([*command, "--methods", *wanted])
    assert "none is left out" in capsys.readouterr().out
    means = pd.read_csv(tmp_path / "novelty_means.csv").set_index("method")
    cells = pd.read_csv(tmp_path / "novelty_cells.csv")
    assert sorted(means.index) == sorted(wanted)
    assert (means["auc"].diff().dropna() <= 0.0).all()
    assert len(cells) == 3 * 4
    own, other = (cells[cells["method"] == name].set_index("problem")["auc"] for name in wanted[::2])
    assert means.loc["OneClassSVM", "auc lead"] == pytest.approx((own - other).mean(), abs=1e-4)
    monkeypatch.setattr(novelty, "cell", None)  # all cells are done
    novelty.main([*command, "--methods", *wanted])

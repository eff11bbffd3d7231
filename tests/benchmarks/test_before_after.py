"""What a change did to quality and time, from journals of two checkouts."""

from __future__ import annotations

from benchmarks import before_after, nested


def test_sets_that_both_have_are_compared_fold_by_fold(tmp_path, capsys):
    rows = {
        "before": {"iris": [[0.5, 9.0, 1.0, 7, 0.4], [0.7, 9.0, 3.0, 7, 0.2]], "old": [[0.1, 1, 1, 1, 1]]},
        "after": {"iris": [[0.6, 9.0, 0.5, 7, 0.3], [0.7, 9.0, 1.5, 7, 0.1]], "new": [[0.1, 1, 1, 1, 1]]},
    }
    rows["before"]["numbers"] = rows["after"]["numbers"] = [[0.9, 1.0, 2.0, 7, 3.0, 4.0]] * 2
    for when, sets in rows.items():
        for name, folds in sets.items():
            (tmp_path / when).mkdir(exist_ok=True)
            with nested.Journal(tmp_path / when / f"{name}.journal", {"data": name}) as journal:
                for k, cell in enumerate(folds):
                    journal[f"kernelwise/{k}"] = cell
    before_after.main([str(tmp_path / "before"), str(tmp_path / "after")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:4] == [
        "| iris | 2 | 60.00 | 65.00 | +5.00 ± 5.00 | 0.3000 | 0.2000 | 2.00 | 1.00 |",
        "| numbers | 2 | 0.9000 | 0.9000 | +0.0000 ± 0.0000 |  |  | 2.00 | 2.00 |",
    ]
    assert lines[-3] == "Mean of 1 sets: +5.00 points, log-loss -0.1000, 0.50 times the CPU time."
    assert lines[-1] == "Mean of 1 sets: R² +0.0000, 1.00 times the CPU time."

"""The benchmark of quantiles, on one small set and a short path."""

from __future__ import annotations

from benchmarks.quantiles import METHODS, main


def test_a_line_for_each_method_and_their_means(capsys):
    main(["--sets", "friedman3", "--folds", "2"])
    told, _, table = capsys.readouterr().out.partition("\n\n## sets\n\n")
    lines = told.splitlines()
    assert len(lines) == 3 * len(METHODS)
    ours, linear = (float(lines[k].split("D² ")[1].split()[0]) for k in (0, 2))
    assert ours > linear
    first, mean = (row.split(" | ")[1:] for row in table.splitlines()[2:])
    assert first == mean  # of one set
    assert float(first[0].split(";")[0]) == round(ours, 3)


def test_paths_are_timed(capsys):
    main(["--path", "60"])
    out = capsys.readouterr().out
    assert out.count("our single fits") == 2
    assert out.count("LIBSVM's single fits") == 1

"""The demo runs."""

from __future__ import annotations

from kernelwise import demo


def test_demo_prints_a_row_for_every_criterion(capsys):
    demo.main()
    output = capsys.readouterr().out
    for name in ("dbtc", "esdr", "j4", "polarization", "kta", "centered-kta", "radius-margin"):
        assert f"\n{name} " in output
    assert "Grid search, 19 x 21 values" in output
    assert "With a width for each feature it trusts most:" in output

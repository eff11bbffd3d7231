"""The demo runs."""

from __future__ import annotations

import re

from kernelwise import demo


def test_demo_tunes_a_machine_and_says_why(capsys):
    demo.main()
    output = capsys.readouterr().out
    accuracies = [float(value) for value in re.findall(r"\b0\.9\d{3}\b", output)]
    assert len(accuracies) == 4
    assert accuracies[0] > 0.95
    assert "TunedSVC() took RBF(gamma=" in output
    assert "The distance sketch named" in output
    assert "With a width for each feature it trusts most:" in output
    for name in ("dbtc", "esdr", "j4", "polarization", "kta"):
        assert re.search(rf"\n  {name} +gamma = ", output)

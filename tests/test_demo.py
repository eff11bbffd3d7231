"""The demo runs."""

from __future__ import annotations

import re

from sklearn.datasets import load_breast_cancer
from sklearn.utils import Bunch

from kernelwise import demo


def test_demo_tunes_a_machine_and_says_why(capsys, monkeypatch):
    whole = load_breast_cancer()
    few = {
        "data": whole.data[:240, 20:],
        "target": whole.target[:240],
        "feature_names": whole.feature_names[20:],
    }
    monkeypatch.setattr(demo, "load_breast_cancer", lambda: Bunch(**few))  # `make demo` has all of it
    demo.main()
    output = capsys.readouterr().out
    accuracies = [float(value) for value in re.findall(r"\b0\.9\d{3}\b", output)]
    assert len(accuracies) == 5
    assert accuracies[0] > 0.94
    assert re.search(r"TunedSVC\(\) chose: a blend of \d kernels\n", output)
    assert " would be right for " in output
    assert 'The features that count most in TunedSVC(kernel="diagonal"): worst perimeter 0.4' in output
    first, second = output.splitlines()[-2:]  # for a person with a file
    assert first == "  kernelwise tune data.csv --target class --model model.kw --report report.html"
    assert second == "  kernelwise predict model.kw new.csv --out predictions.csv"
    for name in ("dbtc", "esdr", "j4", "polarization", "kta"):
        assert re.search(rf"\n  {name} +gamma = ", output)

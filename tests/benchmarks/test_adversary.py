"""The adversary in seconds, and whether it would notice; `python -m benchmarks.adversary --long` has more."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from benchmarks.adversary import batches, claims, command_line, journals, models, solver
from benchmarks.adversary.__main__ import PARTS, main
from benchmarks.adversary.calls import run_calls
from benchmarks.adversary.calls.verdict import fault_of_error, fault_of_value
from benchmarks.honesty import Outcome


def test_random_calls_work_or_are_refused_in_a_sentence():
    outcome = run_calls(0, range(60))
    assert outcome.failures == []
    assert min(outcome.n_worked, outcome.n_refused) > 10


@pytest.mark.parametrize(
    ("call", "is_fault"),
    [
        (lambda: float("word"), True),  # Python's own words
        (lambda: [][0], True),
        (lambda: __import__("kernelwise").SVC(C=-1.0).fit([[0.0], [1.0]], [0, 1]), False),
    ],
)
def test_errors_are_told_from_sentences(call, is_fault):
    with pytest.raises((ValueError, IndexError)) as caught:
        call()
    assert (fault_of_error(caught.value, ("C",)) is not None) == is_fault
    assert fault_of_value("beta", [1.0, float("nan")]) == "beta is not finite"


SHORT = {"models": 60, "journals": 12, "commands": 12, "solver": 21, "claims": 2, "forks": 1, "kills": 1}


@pytest.mark.slow
@pytest.mark.parametrize("part", sorted(PARTS.keys() - {"calls"}))
def test_no_attempt_of_a_part_succeeds(part, capsys):
    assert main([part, "--count", str(SHORT[part])]) == 0
    assert f"{SHORT[part]} {PARTS[part].what}: 0 failed; longest" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("error", "says"), [(0.05, ""), (0.02, "0 of 12 truths"), (0.001, "50.0 away")])
def test_claims_that_are_too_sure_are_noticed(error, says, monkeypatch):
    monkeypatch.setattr(claims, "simulated", lambda *_: Outcome(0.8, error, 0.75, 0.7))
    found = claims.prepare()("0")
    assert says in found
    assert bool(found) == bool(says)


def test_parts_that_do_not_exist_are_named(capsys):
    with pytest.raises(SystemExit):
        main(["everything"])
    assert "there is no part 'everything'; the parts are models, " in capsys.readouterr().err


def test_crashes_hangs_and_errors_are_failures_and_the_rest_goes_on(monkeypatch, capsys):
    monkeypatch.setattr(batches, "PATIENCE", 2.0)

    def attempt(seed):
        if seed == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        if seed == "hang":
            time.sleep(60)
        if seed == "error":
            raise KeyError("x")
        return "wrong" if seed == "wrong" else ""

    found = batches.attempt_all(attempt, ["right", "crash", "wrong", "hang", "error", "last"])
    assert found.n == 6
    assert found.failures["crash"] == "the process ended with -9"
    assert found.failures["hang"] == "no answer within 2 s"
    assert found.failures["wrong"] == "wrong"
    assert "KeyError" in found.failures["error"]
    assert set(found.failures) == {"crash", "hang", "wrong", "error"}
    assert "  seed crash: the process ended" in capsys.readouterr().out


def test_a_model_file_that_is_believed_is_noticed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    broken = tmp_path / "broken.kw"

    def fault(load):
        monkeypatch.setattr(models.kernelwise, "load", load)
        return models._fault(broken, np.zeros((1, 2)), must_refuse=True)

    def raising(error):
        def load(path):
            raise error

        return load

    assert fault(lambda path: None) == "a file with changed bytes was read"
    assert fault(raising(ValueError(f"{broken} is not a model."))) == ""
    assert fault(raising(ValueError("odd"))) == "no sentence: 'odd'"
    assert fault(raising(KeyError("x"))) == "load: KeyError: 'x'"


def test_failures_of_commands_are_found(monkeypatch, tmp_path):
    def broken(arguments):
        Path("half.part").write_text("x")
        print("\x1b[31mTraceback")
        return 1

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command_line, "kernelwise", broken)
    _, failure = command_line.fault(("tune", "f.csv"))
    for what in ("exit code 1", "a traceback", "{'half.part'} left behind", "an escape sequence"):
        assert what in failure


def test_a_journal_that_is_believed_is_noticed(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    answers = iter([(0, '{"score": 0.5}', "")] * 3 + [(0, '{"score": 2.5}', ""), (1, "", "zlib.error")])
    monkeypatch.setattr(
        journals, "_run", lambda name: (journals.JOURNAL.write_bytes(b"12"), next(answers))[1]
    )
    monkeypatch.setattr(journals, "_damage", lambda draw, whole: None)
    attempt = journals.prepare()
    assert "has another answer" in attempt("0-0")
    assert "exit code 1" in attempt("0-1")


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_a_machine_that_is_no_optimum_is_noticed(monkeypatch):
    usual = solver.SVC.fit
    checked = []

    def spoilt(self, *data, **options):
        model = usual(self, *data, **options)
        if model.kernel == "rbf" and model.beta_.size > 3 and not model.fit_status_:
            model._beta[:, ::2] *= 0.5
            checked.append(1)
        return model

    monkeypatch.setattr(solver.SVC, "fit", spoilt)
    found = []
    for seed in range(30):
        try:
            found.append(solver.extreme(np.random.default_rng(seed)))
        except ValueError:
            continue
    assert len(checked) > 3
    assert max(one for one in found if one is not None) > 1.0


def test_whatever_keeps_a_promise_of_security_exists():
    root = Path(__file__).parents[2]
    text = (root / "SECURITY.md").read_text(encoding="utf-8")
    parts = re.findall(r"`adversary (\w+)`", text)
    assert set(parts) == set(PARTS)
    places = re.findall(r"`(tests/[\w/.]+)`", text)
    assert len(places) > 10
    assert [place for place in places if not (root / place).exists()] == []
    tests = "".join(path.read_text(encoding="utf-8") for path in (root / "tests").rglob("test_*.py"))
    named = re.findall(r"`(test_\w+)`", text)
    assert len(named) > 4
    assert [name for name in named if f"def {name}(" not in tests] == []

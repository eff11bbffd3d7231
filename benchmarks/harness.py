"""Runs systems in processes of one thread each and compares what they bring back."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.jobs import Task

ROOT = Path(__file__).resolve().parent.parent
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Run:
    """What one process brought back: times and an answer, or a word why not."""

    system: str
    note: str = ""
    wall: float = float("nan")
    cpu: float = float("nan")
    runs: int = 0
    answer: np.ndarray | None = None


def run_system(job: str, data: str, system: str, repeat: int = 1, quick: bool = False, C: float = 1.0) -> Run:
    """Run ``benchmarks.worker`` in a fresh process pinned to one thread."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run.npz"
        command = [sys.executable, "-m", "benchmarks.worker", job, data, system, str(out)]
        command += ["--repeat", str(repeat), "--C", repr(C)] + ["--quick"] * quick
        environment = os.environ | dict.fromkeys(THREADS, "1")
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1]
            return Run(system, f"failed: {last}")
        with np.load(out) as found:
            if "skipped" in found:
                return Run(system, str(found["skipped"]))
            answer = found.get("answer")
            return Run(system, "", float(found["wall"]), float(found["cpu"]), int(found["runs"]), answer)


def agreement(task: Task, reference: Run, run: Run) -> str:
    """Say in a few words how far the answers of two systems agree."""
    if run is reference or reference.answer is None or run.answer is None:
        return ""
    if task.job in ("fit", "predict"):
        return f"{(run.answer == reference.answer).mean():.2%} equal"
    smallest = min(len(test) for _, test in task.folds)
    if holds_labels(task, reference.answer) and holds_labels(task, run.answer):
        differ = run.answer != reference.answer
        worst = max(differ[:, test].sum(axis=1).max() for _, test in task.folds)
        return f"{1 - differ.mean():.2%} equal, worst fold {worst} of {smallest}"
    difference = fold_counts(task, run.answer) - fold_counts(task, reference.answer)
    return f"worst fold {abs(difference).max()} of {smallest}"


def holds_labels(task: Task, answer: np.ndarray) -> bool:
    """Labels of samples rather than counts by fold."""
    return answer.shape[1] == len(task.y)


def fold_counts(task: Task, answer: np.ndarray) -> np.ndarray:
    """Correct held-out labels of shape (n_settings, n_folds)."""
    if not holds_labels(task, answer):
        return answer
    return np.column_stack([(answer[:, test] == task.y[test]).sum(axis=1) for _, test in task.folds])

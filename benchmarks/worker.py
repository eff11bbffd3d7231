"""One system does one job in this process: ``python -m benchmarks.worker JOB DATA SYSTEM OUT``.

Writes OUT, an npz file with the times and the answer, or with the reason why there is none.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.jobs import Task, make_task, warm_up

LONG = 30.0  # seconds after which a job is not repeated: a long run is its own average
INSTALL = "not installed: pip install kernelwise[bench]"


def timed(job: Callable[..., Any], *arguments: Any) -> tuple[Any, float, float]:
    """Return the answer, wall seconds and CPU seconds (of all threads of this process)."""
    wall, cpu = time.perf_counter(), time.process_time()
    answer = job(*arguments)
    return answer, time.perf_counter() - wall, time.process_time() - cpu


def run_once(system: ModuleType, task: Task) -> tuple[Any, float, float]:
    """Time what the job is about: the fit without prediction, the prediction without fit, or the whole."""
    if task.job == "fit":
        machine, wall, cpu = timed(system.fit, task)
        return system.predict(machine, task.X_new), wall, cpu
    if task.job == "predict":
        return timed(system.predict, system.fit(task), task.X_new)
    return timed(getattr(system, task.job), task)


def run(name: str, task: Task, repeat: int) -> dict[str, Any]:
    """Return the answer with the best of the repeated times, or the reason why the system was skipped."""
    try:
        system = importlib.import_module(f"benchmarks.systems.{name}")
        if not hasattr(system, task.job):
            return {"skipped": f"has no {task.job}"}
        run_once(system, warm_up(task))
    except ImportError as error:
        ours = (error.name or "").partition(".")[0] == "kernelwise"
        return {"skipped": str(error).partition(" (")[0] if ours else INSTALL}  # without the path
    answer, wall, cpu = run_once(system, task)
    walls, cpus = [wall], [cpu]
    while len(cpus) < repeat and sum(walls) < LONG:
        _, wall, cpu = run_once(system, task)
        walls.append(wall)
        cpus.append(cpu)
    share = system.share(task) if hasattr(system, "share") else 1.0
    best = {"wall": min(walls) / share, "cpu": min(cpus) / share, "runs": len(cpus)}
    return best if answer is None else best | {"answer": answer}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for argument in ("job", "data", "system", "out"):
        parser.add_argument(argument)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--C", type=float, default=1.0)
    options = parser.parse_args()
    task = make_task(options.job, options.data, options.quick, options.C)
    with open(options.out, "wb") as file:
        np.savez(file, **run(options.system, task, options.repeat))


if __name__ == "__main__":
    main()

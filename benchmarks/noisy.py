"""``python -m benchmarks.noisy``: the C path on noisy sets at three widths, ours beside liquidSVM's.

One process for all sets, so that a run takes a minute or two; the job ``cpath`` has one for each system and
set, and scikit-learn's labels. Both include the Gram matrix. The least of the CPU seconds counts.

With ``--gaps`` instead the relative duality gaps, (primal − dual) / dual, of both: the largest of the ten
machines for C = 16, 256 and 4096, from a fresh start. A system that stops early has a large one.
"""

from __future__ import annotations

import argparse
import importlib

from benchmarks.data import NARROW, WIDE
from benchmarks.jobs import make_task, warm_up
from benchmarks.worker import timed
from kernelwise.kernels import RBF

SETS = (
    "planning_relax",
    "ilpd",
    "heart_statlog",
    "splice_1000",
    "waveform_1200",
    "titanic",
    "flipped_05",
    "flipped_10",
    "flipped_20",
    "medical",
    "ringnorm_1500",
)

GAP_CS = 16.0, 256.0, 4096.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--systems", default="kernelwise,liquidsvm")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--gaps", action="store_true", help="duality gaps instead of seconds")
    options = parser.parse_args()
    systems = {
        name: importlib.import_module(f"benchmarks.systems.{name}") for name in options.systems.split(",")
    }
    width = 28 if options.gaps else 14
    print(f"{'set':24}" + "".join(f"{name:>{width}}" for name in systems))
    is_warm = False
    for name in (base + width for base in options.sets for width in (WIDE, "", NARROW)):
        task = make_task("cpath", name)
        if options.gaps:
            K = RBF(task.gamma)(task.X)
            gaps = ([f"{system.relative_gap(task, K, C):.1e}" for C in GAP_CS] for system in systems.values())
            print(f"{name:24}" + "".join(f"{' '.join(values):>28}" for values in gaps), flush=True)
            continue
        if not is_warm:
            for system in systems.values():
                system.cpath(warm_up(task))
            is_warm = True
        best = dict.fromkeys(systems, float("inf"))
        for _ in range(options.repeat):
            for key, system in systems.items():
                best[key] = min(best[key], timed(system.cpath, task)[2])
        print(f"{name:24}" + "".join(f"{seconds:14.3f}" for seconds in best.values()), flush=True)


if __name__ == "__main__":
    main()

"""``python -m benchmarks.noisy``: the C path on noisy sets at three widths, ours beside liquidSVM's.

With ``--more`` it is measured on twenty other sets with the plain width alone, and ``--sets`` may name sets
with the ending of one width (``ilpd_narrow``, ``flipped_10_plain``).

One process for all sets, so that a run takes a minute or two; the job ``cpath`` has one for each system and
set, and scikit-learn's labels. Both include the Gram matrix. The least of the CPU seconds counts; the ratio
is that of the last system to the first.

With ``--gaps`` instead the relative duality gaps, (primal − dual) / dual, of both: the largest of the ten
machines for C = 16, 256 and 4096, from a fresh start. A system that stops early has a large one.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence

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

MORE = (
    "iris_versicolor",
    "vertebral_2c",
    "breast_cancer_ljubljana",
    "breast_cancer_wisconsin",
    "tic_tac_toe",
    "german_credit",
    "qsar_biodegradation",
    "banknote",
    "wine_quality_red",
    "banana_1500",
    "twonorm_1500",
    "phoneme_1500",
    "steel_plates_1500",
    "segment_1500",
    "satimage_1500",
    "thyroid_1500",
    "usps_1500",
    "pendigits_1500",
    "letter_1500",
    "dna_1500",
)
PLAIN = "_plain"

GAP_CS = 16.0, 256.0, 4096.0


def with_widths(names: Sequence[str], widths: Sequence[str]) -> list[str]:
    """Each name with each width, unless it ends in one already."""
    every = (WIDE, NARROW, PLAIN)
    return [
        (name if name.endswith(every) else name + width).removesuffix(PLAIN)
        for name in names
        for width in (widths if not name.endswith(every) else ("",))
    ]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+")
    parser.add_argument("--more", action="store_true", help="twenty other sets, the plain width alone")
    parser.add_argument("--systems", default="kernelwise,liquidsvm")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="thinner grids, at most 500 samples")
    parser.add_argument("--gaps", action="store_true", help="duality gaps instead of seconds")
    options = parser.parse_args(arguments)
    systems = {
        name: importlib.import_module(f"benchmarks.systems.{name}") for name in options.systems.split(",")
    }
    names = options.sets or (MORE if options.more else SETS)
    width = 28 if options.gaps else 14
    head = "".join(f"{name:>{width}}" for name in systems)
    print(f"{'set':28}" + head + ("" if options.gaps else f"{'ratio':>10}"))
    is_warm = False
    for name in with_widths(names, ("",) if options.more else (WIDE, "", NARROW)):
        task = make_task("cpath", name, options.quick)
        if options.gaps:
            K = RBF(task.gamma)(task.X)
            gaps = ([f"{system.relative_gap(task, K, C):.1e}" for C in GAP_CS] for system in systems.values())
            print(f"{name:28}" + "".join(f"{' '.join(values):>28}" for values in gaps), flush=True)
            continue
        if not is_warm:
            for system in systems.values():
                system.cpath(warm_up(task))
            is_warm = True
        best = dict.fromkeys(systems, float("inf"))
        for _ in range(options.repeat):
            for key, system in systems.items():
                best[key] = min(best[key], timed(system.cpath, task)[2])
        times = list(best.values())
        row = "".join(f"{seconds:14.3f}" for seconds in times)
        print(f"{name:28}{row}{times[-1] / times[0]:10.2f}", flush=True)


if __name__ == "__main__":
    main()

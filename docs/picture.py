"""The picture of the README: ``make picture`` runs an example of the gallery and keeps what it draws."""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib

HERE = Path(__file__).parent


def main() -> None:
    """Draw it."""
    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.show = lambda: None
    runpy.run_path(str(HERE.parent / "examples" / "plot_at_a_glance.py"))
    pyplot.savefig(HERE / "_static" / "at-a-glance.png", dpi=130)


if __name__ == "__main__":
    main()

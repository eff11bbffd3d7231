"""``kernelwise demo``: the main job on a data set that ships with scikit-learn."""

from __future__ import annotations


def demo() -> None:
    """Tune a machine on one half of a data set and test it on the other, beside a default and a grid.

    \b
    Example: kernelwise demo
    """
    from kernelwise.demo import main

    main()

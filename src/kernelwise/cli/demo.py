"""``kernelwise demo``: the main job on a data set that ships with scikit-learn."""

from __future__ import annotations


def demo() -> None:
    """Tune on one half of a data set, test on the other.

    \b
    Example: kernelwise demo
    """
    from kernelwise.demo import main

    main()

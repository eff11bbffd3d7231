"""``kernelwise demo``: the main job on a data set that ships with scikit-learn."""

from __future__ import annotations


def demo() -> None:
    """Tune a model on half of a data set and test it on the rest.

    \b
    Example: kernelwise demo
    """
    from kernelwise.demo import main

    main()

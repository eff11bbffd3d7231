"""The distance sketch: all widths of a radial kernel from one pass over the pairs of samples."""

from kernelwise.sketch.sketch import DistanceSketch

__all__ = ["DistanceSketch"]

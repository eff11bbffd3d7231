"""kernelwise chooses the kernel of a support vector machine, its parameters and C."""

from kernelwise.comparison import Comparison, compare
from kernelwise.diagnostics import Diagnosis, diagnose
from kernelwise.estimators import SVC, GridSearchSVC, MetricTransformer, TunedSVC, TunedSVR
from kernelwise.estimators._model_file import load
from kernelwise.reports import CPathDisplay, CriterionDisplay, RelevanceDisplay, SearchSurfaceDisplay
from kernelwise.solvers.sketch import DistanceSketch
from kernelwise.tuning import tune

__version__ = "0.1.0.dev0"

__all__ = [
    "SVC",
    "CPathDisplay",
    "Comparison",
    "CriterionDisplay",
    "Diagnosis",
    "DistanceSketch",
    "GridSearchSVC",
    "MetricTransformer",
    "RelevanceDisplay",
    "SearchSurfaceDisplay",
    "TunedSVC",
    "TunedSVR",
    "__version__",
    "compare",
    "diagnose",
    "load",
    "tune",
]

"""kernelwise chooses the kernel of a support vector machine, its parameters and C."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernelwise.comparison import Comparison, compare
    from kernelwise.diagnostics import Diagnosis, diagnose
    from kernelwise.estimators import (
        SVC,
        SVR,
        GridSearchSVC,
        MetricTransformer,
        NystroemOneClassSVM,
        NystroemSVC,
        NystroemSVR,
        OneClassSVM,
        TunedOneClassSVM,
        TunedSVC,
        TunedSVR,
    )
    from kernelwise.explanation import Explanation, explain
    from kernelwise.persistence import load
    from kernelwise.reports import (
        CPathDisplay,
        CriterionDisplay,
        ExplanationDisplay,
        RelevanceDisplay,
        SearchSurfaceDisplay,
        WidthCurvesDisplay,
    )
    from kernelwise.selection import criterion_curves
    from kernelwise.sketch import DistanceSketch
    from kernelwise.tuning import tune

__version__ = "0.2.0"

__all__ = [
    "SVC",
    "SVR",
    "CPathDisplay",
    "Comparison",
    "CriterionDisplay",
    "Diagnosis",
    "DistanceSketch",
    "Explanation",
    "ExplanationDisplay",
    "GridSearchSVC",
    "MetricTransformer",
    "NystroemOneClassSVM",
    "NystroemSVC",
    "NystroemSVR",
    "OneClassSVM",
    "RelevanceDisplay",
    "SearchSurfaceDisplay",
    "TunedOneClassSVM",
    "TunedSVC",
    "TunedSVR",
    "WidthCurvesDisplay",
    "__version__",
    "compare",
    "criterion_curves",
    "diagnose",
    "explain",
    "load",
    "tune",
]

#: Where public names live. They are imported when they are asked for, so that ``kernelwise --help`` does not
#: wait for scikit-learn.
_HOMES = {
    "Comparison": "comparison",
    "compare": "comparison",
    "Diagnosis": "diagnostics",
    "diagnose": "diagnostics",
    "SVC": "estimators",
    "SVR": "estimators",
    "GridSearchSVC": "estimators",
    "MetricTransformer": "estimators",
    "NystroemOneClassSVM": "estimators",
    "NystroemSVC": "estimators",
    "NystroemSVR": "estimators",
    "OneClassSVM": "estimators",
    "TunedOneClassSVM": "estimators",
    "TunedSVC": "estimators",
    "TunedSVR": "estimators",
    "Explanation": "explanation",
    "explain": "explanation",
    "load": "persistence",
    "CPathDisplay": "reports",
    "CriterionDisplay": "reports",
    "ExplanationDisplay": "reports",
    "RelevanceDisplay": "reports",
    "SearchSurfaceDisplay": "reports",
    "WidthCurvesDisplay": "reports",
    "criterion_curves": "selection",
    "DistanceSketch": "sketch",
    "tune": "tuning",
}
_PACKAGES = (
    "comparison",
    "criteria",
    "datasets",
    "diagnostics",
    "estimators",
    "exceptions",
    "explanation",
    "kernels",
    "metrics",
    "optimizers",
    "problem",
    "reports",
    "selection",
    "solvers",
)


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})

"""What an import must not wait for."""

from __future__ import annotations

import subprocess
import sys

SLOW = (
    "pymanopt",
    "torch",
    "matplotlib",
    "onnx",
    "dask",
    "sklearn.cluster",
    "sklearn.neighbors",
    "sklearn.tree",
)


def test_estimators_are_imported_without_what_few_of_them_need():
    code = f"""
import sys
from kernelwise import SVC, SVR, GridSearchSVC, MetricTransformer, TunedSVC, TunedSVR
print(*[name for name in {SLOW} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []

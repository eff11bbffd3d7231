"""Paper 004 (Yin and Yin 2016): the ratio of distances between and within classes.

S. Yin and J. Yin, *Tuning kernel parameters for SVM based on expected square distance ratio*, divide the mean
squared distance of two points of different classes by that of two points of one class, in feature space, and
take the width where this ratio (ESDR) is largest; then C is chosen by cross-validation. The paper compares
with two other criteria of separability, DBTC and J4, and with the grid search over widths and C.

- the procedures: `yin_select`, `yin_grid_search`, in `procedure`
- criteria and accuracies over the width: `yin_curves`, in `procedure`
- the criteria: :class:`kernelwise.criteria.ESDR`, :class:`kernelwise.criteria.InterClassDistance` (DBTC),
  :class:`kernelwise.criteria.J4`; all widths at once: :class:`kernelwise.DistanceSketch`
- the experiments: ``kernelwise reproduce yin``, in ``kernelwise.studies.yin``
"""

from kernelwise.selection.yin.procedure import CRITERIA, CS, SIGMAS, yin_curves, yin_grid_search, yin_select
from kernelwise.selection.yin.result import YinCurves, YinResult

__all__ = [
    "CRITERIA",
    "CS",
    "SIGMAS",
    "YinCurves",
    "YinResult",
    "yin_curves",
    "yin_grid_search",
    "yin_select",
]

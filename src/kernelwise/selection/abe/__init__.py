"""Paper 000 (Abe 2007): the width at which the centres of the classes are farthest apart.

S. Abe, *Optimizing kernel parameters by second-order methods*, chooses the parameter of an RBF or Mahalanobis
kernel without training a machine: it maximises the squared distance d² between the class centres in feature
space, by a step that uses three derivatives. The parameters of all two-class problems are averaged; then C is
chosen by cross-validation. The paper compares with a grid search and a two-stage line search.

- the procedures: `abe_select`, `abe_grid_search`, `abe_line_search`, in `procedure`
- the kernel parameter without C: `abe_parameters`, in `parameters`
- the criterion d²: :class:`kernelwise.criteria.InterClassDistance`
- the step: :class:`kernelwise.optimizers.SecondOrder`; all widths at once: :class:`kernelwise.DistanceSketch`
- the experiments: ``kernelwise reproduce abe``, in ``kernelwise.studies.abe``
"""

from kernelwise.selection.abe.parameters import AbeParameters, abe_parameters
from kernelwise.selection.abe.procedure import (
    CS,
    DELTAS,
    GAMMAS,
    abe_grid_search,
    abe_line_search,
    abe_select,
)
from kernelwise.selection.abe.result import AbeResult

__all__ = [
    "CS",
    "DELTAS",
    "GAMMAS",
    "AbeParameters",
    "AbeResult",
    "abe_grid_search",
    "abe_line_search",
    "abe_parameters",
    "abe_select",
]

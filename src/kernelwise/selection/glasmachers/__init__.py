"""Paper 002 (Glasmachers 2006): two points can mislead a criterion for the width.

T. Glasmachers, *Degeneracy in model selection for SVMs with radial Gaussian kernel*, proves when the
radius-margin quotient and polarization have an optimum in the limit of narrow kernels: the labels of the two
closest points decide it. The paper recommends to start a search at Jaakkola's heuristic, far from that limit.

- the procedure, with a check that the search stayed clear of the limit: `glasmachers_select`, in `procedure`;
  its searches from several starts, in `search`
- the criteria over the width: `glasmachers_curves`, in `procedure`
- the criteria: :class:`kernelwise.criteria.RadiusMargin`, :class:`kernelwise.criteria.Polarization`,
  :class:`kernelwise.criteria.KernelTargetAlignment`; the search: :class:`kernelwise.optimizers.QuasiNewton`
- the theorems on your data: :func:`kernelwise.diagnostics.boundary_verdict`
- the experiments: ``kernelwise reproduce glasmachers``, in ``kernelwise.studies.glasmachers``
"""

from kernelwise.selection.glasmachers.procedure import glasmachers_curves, glasmachers_select
from kernelwise.selection.glasmachers.result import GlasmachersCurves, GlasmachersResult

__all__ = ["GlasmachersCurves", "GlasmachersResult", "glasmachers_curves", "glasmachers_select"]

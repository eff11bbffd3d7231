"""Paper 001 (Ayat, Cheriet and Suen 2002): the probability of error on a validation set.

N. E. Ayat, M. Cheriet and C. Y. Suen, *Optimization of the SVM kernels using an empirical error minimization
scheme*, train a machine, turn its outputs on a validation set into probabilities by Platt's sigmoid, and move
all parameters of the kernel and C by quasi-Newton so that the mean probability of error falls. Every pair of
classes has a kernel of its own. Their kernel KMOD is :class:`kernelwise.kernels.KMOD`.

- the procedure: `ayat_select`, in `procedure`; pairwise machines and how they are combined, in
  `pair_machines`
- the scan over scales that comes before the search, which is ours: in `procedure`
- the same as a scikit-learn classifier: `PairwiseSVC`, in `classifier`
- the test of two recognition rates: `z_test`; from outcomes sample by sample, which is stronger:
  `mcnemar_test`, in `rate_tests`
- the criterion: :class:`kernelwise.criteria.ValidationError`; the search:
  :class:`kernelwise.optimizers.QuasiNewton` with ``engine="golden"``
- the experiments: ``kernelwise reproduce ayat``, in ``kernelwise.studies.ayat``
"""

from kernelwise.selection.ayat.classifier import PairwiseSVC
from kernelwise.selection.ayat.pair_machines import AyatResult, PairMachine, PairTuning
from kernelwise.selection.ayat.procedure import PAPER_SEARCH, ayat_select
from kernelwise.selection.ayat.rate_tests import McNemar, mcnemar_test, z_test

__all__ = [
    "PAPER_SEARCH",
    "AyatResult",
    "McNemar",
    "PairMachine",
    "PairTuning",
    "PairwiseSVC",
    "ayat_select",
    "mcnemar_test",
    "z_test",
]

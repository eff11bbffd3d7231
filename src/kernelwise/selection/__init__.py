"""The papers: the procedure of each, and the methods that the paper compares it with.

Docstrings of this package call the papers by their numbers, and equations by the papers' own.

000
    S. Abe, *Optimizing kernel parameters by second-order methods*, 2007.
001
    N. E. Ayat, M. Cheriet and C. Y. Suen, *Optimization of the SVM kernels using an empirical error
    minimization scheme*, 2002.
002
    T. Glasmachers, *Degeneracy in model selection for SVMs with radial Gaussian kernel*, 2006.
003
    H. Laanaya, F. Abdallah, H. Snoussi and C. Richard, *Learning general Gaussian kernel hyperparameters of
    SVMs using optimization on symmetric positive-definite matrices manifold*, 2011.
004
    S. Yin and J. Yin, *Tuning kernel parameters for SVM based on expected square distance ratio*, 2016.

======  ===========  ============================  ===================  =================================
number  module here  criterion                     optimizer            study
======  ===========  ============================  ===================  =================================
000     abe          `InterClassDistance`          `SecondOrder`        ``kernelwise reproduce abe``
001     ayat         `ValidationError`             `QuasiNewton`        ``kernelwise reproduce ayat``
002     glasmachers  `RadiusMargin`,               `QuasiNewton`        ``kernelwise reproduce glasmachers``
                     `Polarization`
003     laanaya      `RegularizedMargin`           `ManifoldDescent`    ``kernelwise reproduce laanaya``
004     yin          `ESDR`                        a grid of widths     ``kernelwise reproduce yin``
======  ===========  ============================  ===================  =================================

Criteria are in :mod:`kernelwise.criteria`, optimizers in :mod:`kernelwise.optimizers`, studies in
``kernelwise.studies`` under the names of the modules here. A grid of widths is one pass over the pairs of
samples (:class:`kernelwise.DistanceSketch`), which `abe` can use instead of its optimizer, too.
`learned_metric` is our own step beyond paper 003; `curves` sets any criteria beside the accuracy, over all
widths; `keerthi_lin` is a search that paper 004 cites; `procedure` holds what several papers share.
"""

from kernelwise.selection.abe import AbeResult, abe_grid_search, abe_line_search, abe_select
from kernelwise.selection.abe_peak import AbeParameters, abe_parameters
from kernelwise.selection.ayat import PairwiseSVC, ayat_select
from kernelwise.selection.curves import GlasmachersCurves, criterion_curves, glasmachers_curves
from kernelwise.selection.glasmachers import GlasmachersResult, glasmachers_select
from kernelwise.selection.keerthi_lin import KeerthiLinResult, keerthi_lin_select
from kernelwise.selection.laanaya import (
    adaptive_scaling_select,
    constant_trace_select,
    laanaya_select,
    rbf_select,
)
from kernelwise.selection.learned_metric import MetricResult, learn_metric
from kernelwise.selection.pair_machines import (
    AyatResult,
    McNemar,
    PairMachine,
    PairTuning,
    mcnemar_test,
    z_test,
)
from kernelwise.selection.width_curves import CriterionChoice, WidthCurves
from kernelwise.selection.yin import YinCurves, YinResult, yin_curves, yin_grid_search, yin_select

__all__ = [
    "AbeParameters",
    "AbeResult",
    "AyatResult",
    "CriterionChoice",
    "GlasmachersCurves",
    "GlasmachersResult",
    "KeerthiLinResult",
    "McNemar",
    "MetricResult",
    "PairMachine",
    "PairTuning",
    "PairwiseSVC",
    "WidthCurves",
    "YinCurves",
    "YinResult",
    "abe_grid_search",
    "abe_line_search",
    "abe_parameters",
    "abe_select",
    "adaptive_scaling_select",
    "ayat_select",
    "constant_trace_select",
    "criterion_curves",
    "glasmachers_curves",
    "glasmachers_select",
    "keerthi_lin_select",
    "laanaya_select",
    "learn_metric",
    "mcnemar_test",
    "rbf_select",
    "yin_curves",
    "yin_grid_search",
    "yin_select",
    "z_test",
]

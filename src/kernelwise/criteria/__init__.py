"""Criteria J(K, y): a cost of a Gram matrix, its derivative with respect to the matrix, the paper's score.

A string names a criterion wherever one is taken. :mod:`kernelwise.selection` says which paper has which
number.

====================  ===========================  ========================  ===============================
name                  class                        module here               paper
====================  ===========================  ========================  ===============================
"dbtc"                `InterClassDistance`         `separability`            000 (Abe 2007)
"esdr"                `ESDR`                       `separability`            004 (Yin and Yin 2016)
"j4"                  `J4`                         `separability`            004, which compares with it
"dbtc-unbiased"       `InterClassDistance`         `separability`            none; pairs of different rows
"esdr-unbiased"       `ESDR`                       `separability`            none
"j4-unbiased"         `J4`                         `separability`            none
"dbtc-trimmed"        `InterClassDistance`         `separability`            none; closest 1 % left out
"esdr-trimmed"        `ESDR`                       `separability`            none
"j4-trimmed"          `J4`                         `separability`            none
"polarization"        `Polarization`               `alignment`               002 (Glasmachers 2006)
"kta"                 `KernelTargetAlignment`      `alignment`               002
"centered-kta"        `KernelTargetAlignment`      `alignment`               none (Cortes and others 2012)
"hsic"                `HSIC`                       `alignment`               none (Gretton and others 2005)
"fisher"              `KernelFisher`               `centres`                 named by 000, 003 and 004
"fsm"                 `FSM`                        `centres`                 none (Nguyen and Ho 2008)
"wu-wang"             `WuWangIndex`                `centres`                 cited by 000 and 004
"margin"              `Margin`                     `margin`                  001 (Ayat and others 2002)
"vc"                  `VCBound`                    `margin`                  001
"validation-error"    `ValidationError`            `held_out_errors`         001
"radius-margin"       `RadiusMargin`               `margin`                  002
"cv-error"            `CrossValidationError`       `held_out_errors`         none; 001 on all the data
"cv-likelihood"       `CrossValidationLikelihood`  `held_out_errors`         none (Glasmachers, Igel 2010)
"span"                `SpanEstimate`               `span`                    none (Chapelle and others 2002)
"xi-alpha"            `XiAlpha`                    `one_training`            cited by 000 (Joachims 2000)
"xi-alpha-smooth"     `XiAlpha`                    `one_training`            none; the same with a gradient
"gacv"                `GACV`                       `one_training`            cited by 001 (Wahba)
"evidence"            `Evidence`                   `one_training`            cited by 001, 003 and 004
"regularized-margin"  `RegularizedMargin`          `regularized_margin`      003 (Laanaya and others 2011)
====================  ===========================  ========================  ===============================

`TargetAlignment`, in `alignment`, and `RegressionMargin`, in `regularized_margin` (paper 003's future work),
are for regression. Bases for criteria of your own are `Criterion` (`base`), `SumsCriterion` for functions of
sums over classes (`separability`), and `MachineCriterion` for costs of trained machines (`machine`).
`aligned_sum` weighs the kernels of a sum.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kernelwise._core.text import meant
from kernelwise.criteria.alignment import (
    HSIC,
    KernelTargetAlignment,
    Polarization,
    TargetAlignment,
    aligned_sum,
)
from kernelwise.criteria.base import Criterion
from kernelwise.criteria.centres import FSM, KernelFisher, WuWangIndex
from kernelwise.criteria.held_out_errors import (
    CrossValidationError,
    CrossValidationLikelihood,
    ValidationError,
)
from kernelwise.criteria.machine import MachineCriterion
from kernelwise.criteria.margin import Margin, RadiusMargin, VCBound
from kernelwise.criteria.one_training import GACV, Evidence, XiAlpha
from kernelwise.criteria.regularized_margin import RegressionMargin, RegularizedMargin
from kernelwise.criteria.separability import (
    ESDR,
    J4,
    InterClassDistance,
    PairCriterion,
    SumsCriterion,
)
from kernelwise.criteria.span import SpanEstimate

#: Share of the closest pairs that the trimmed forms leave out.
TRIM = 0.01

CRITERIA: dict[str, Callable[[], Criterion]] = {
    "dbtc": InterClassDistance,
    "esdr": ESDR,
    "j4": J4,
    "dbtc-unbiased": partial(InterClassDistance, unbiased=True),
    "esdr-unbiased": partial(ESDR, unbiased=True),
    "j4-unbiased": partial(J4, unbiased=True),
    "dbtc-trimmed": partial(InterClassDistance, unbiased=True, trim=TRIM),
    "esdr-trimmed": partial(ESDR, unbiased=True, trim=TRIM),
    "j4-trimmed": partial(J4, unbiased=True, trim=TRIM),
    "polarization": Polarization,
    "kta": KernelTargetAlignment,
    "centered-kta": lambda: KernelTargetAlignment(centered=True),
    "hsic": HSIC,
    "fisher": KernelFisher,
    "fsm": FSM,
    "wu-wang": WuWangIndex,
    "margin": Margin,
    "vc": VCBound,
    "validation-error": ValidationError,
    "radius-margin": RadiusMargin,
    "cv-error": CrossValidationError,
    "cv-likelihood": CrossValidationLikelihood,
    "span": SpanEstimate,
    "xi-alpha": XiAlpha,
    "xi-alpha-smooth": partial(XiAlpha, slope=5.0),
    "gacv": GACV,
    "evidence": Evidence,
    "regularized-margin": RegularizedMargin,
}

#: What an error message names of them, and where the others are.
USUAL = ("dbtc", "esdr", "j4", "kta", "radius-margin", "cv-error")
ALL_NAMES = "kernelwise.criteria.CRITERIA"


#: A criterion, or the name of one.
CriterionLike = Criterion | str


def as_criterion(criterion: CriterionLike) -> Criterion:
    """Return the criterion with that name, or the criterion itself.

    Parameters
    ----------
    criterion : str or Criterion
        A name of :data:`CRITERIA`, or an object.

    Examples
    --------
    >>> from kernelwise.criteria import ESDR, as_criterion
    >>> as_criterion("centered-kta")
    KernelTargetAlignment(centered=True, strategy='pooled', class_weight=None)
    >>> as_criterion(ESDR(strategy="ovr"))
    ESDR(strategy='ovr', class_weight=None, unbiased=False, trim=0)
    """
    if isinstance(criterion, Criterion):
        return criterion
    if isinstance(criterion, str) and criterion in CRITERIA:
        return CRITERIA[criterion]()
    near = meant(criterion, CRITERIA)
    if near:
        raise ValueError(f"There is no criterion {criterion!r}.{near} {ALL_NAMES} has all names.")
    raise ValueError(
        f"criterion must be a Criterion or one of {', '.join(map(repr, USUAL))} and "
        f"{len(CRITERIA) - len(USUAL)} others ({ALL_NAMES} has all names), got {criterion!r}."
    )


__all__ = [
    "CRITERIA",
    "ESDR",
    "FSM",
    "GACV",
    "HSIC",
    "J4",
    "USUAL",
    "Criterion",
    "CrossValidationError",
    "CrossValidationLikelihood",
    "Evidence",
    "InterClassDistance",
    "KernelFisher",
    "KernelTargetAlignment",
    "MachineCriterion",
    "Margin",
    "PairCriterion",
    "Polarization",
    "RadiusMargin",
    "RegressionMargin",
    "RegularizedMargin",
    "SpanEstimate",
    "SumsCriterion",
    "TargetAlignment",
    "VCBound",
    "ValidationError",
    "WuWangIndex",
    "XiAlpha",
    "aligned_sum",
    "as_criterion",
]

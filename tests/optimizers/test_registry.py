"""Optimizers by name."""

from __future__ import annotations

import pytest

from kernelwise.kernels import RBF
from kernelwise.optimizers import OPTIMIZERS, LineSearch, ManifoldDescent, Optimizer, as_optimizer


def test_every_concrete_optimizer_has_one_name():
    made = [make() for make in OPTIMIZERS.values()]
    assert {type(one) for one in made} == set(_concrete(Optimizer))
    assert len(made) == len({type(one) for one in made})


def _concrete(kind):
    ours = [sub for sub in kind.__subclasses__() if sub.__module__.startswith("kernelwise.")]
    return [one for sub in ours for one in (sub, *_concrete(sub))]


def test_a_name_stands_for_a_new_optimizer_and_an_object_for_itself():
    own = LineSearch(n_points=9)
    assert as_optimizer(own) is own
    assert isinstance(as_optimizer("manifold"), ManifoldDescent)
    assert as_optimizer("manifold") is not as_optimizer("manifold")


@pytest.mark.parametrize("bad", ["newton", None, RBF(), ["grid"]])
def test_other_things_are_refused_with_the_names(bad):
    with pytest.raises(ValueError, match="must be an Optimizer or one of 'quasi-newton', 'second-order', "):
        as_optimizer(bad)

"""Optimizers: θ → better θ, seeing only a TuningProblem."""

from kernelwise.optimizers.base import Optimizer, Run
from kernelwise.optimizers.gradient_descent import GradientDescent
from kernelwise.optimizers.grid import GridSearch
from kernelwise.optimizers.line_search import LineSearch
from kernelwise.optimizers.manifold import ManifoldDescent
from kernelwise.optimizers.quasi_newton import QuasiNewton
from kernelwise.optimizers.second_order import SecondOrder
from kernelwise.space import SearchSpace

__all__ = [
    "GradientDescent",
    "GridSearch",
    "LineSearch",
    "ManifoldDescent",
    "Optimizer",
    "QuasiNewton",
    "Run",
    "SearchSpace",
    "SecondOrder",
]

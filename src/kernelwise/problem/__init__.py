"""A kernel and a criterion on samples: what an optimizer sees."""

from kernelwise.problem.tuning_problem import TuningProblem

__all__ = ["TuningProblem"]

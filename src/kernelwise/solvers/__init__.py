"""The numerics the rest shares: the SVM dual, its path over C, the enclosing ball."""

from kernelwise.multiclass import vote
from kernelwise.solvers.ball import EnclosingBall, minimum_enclosing_ball
from kernelwise.solvers.dual import SVMSolution, solve_svm_dual
from kernelwise.solvers.path import SVMPath, path_predictions, svm_path

__all__ = [
    "EnclosingBall",
    "SVMPath",
    "SVMSolution",
    "minimum_enclosing_ball",
    "path_predictions",
    "solve_svm_dual",
    "svm_path",
    "vote",
]

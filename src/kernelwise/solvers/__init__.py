"""The numerics the rest shares: the SVM dual, its path over C, one-class machines, the enclosing ball."""

from kernelwise.multiclass import vote
from kernelwise.solvers.ball import EnclosingBall, minimum_enclosing_ball
from kernelwise.solvers.dual import SVMSolution, solve_svm_dual
from kernelwise.solvers.one_class import OneClassSolution, SoftBall, solve_one_class, solve_soft_ball
from kernelwise.solvers.one_class_path import OneClassPath, one_class_path
from kernelwise.solvers.path import SVMPath, path_predictions, svm_path

__all__ = [
    "EnclosingBall",
    "OneClassPath",
    "OneClassSolution",
    "SVMPath",
    "SVMSolution",
    "SoftBall",
    "minimum_enclosing_ball",
    "one_class_path",
    "path_predictions",
    "solve_one_class",
    "solve_soft_ball",
    "solve_svm_dual",
    "svm_path",
    "vote",
]

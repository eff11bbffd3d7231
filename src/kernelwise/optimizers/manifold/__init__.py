"""Descent on the manifolds that metrics live on."""

from kernelwise.optimizers.manifold.descent import ManifoldDescent

__all__ = ["ManifoldDescent"]

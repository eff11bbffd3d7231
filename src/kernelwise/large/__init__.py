"""Machines for more rows than an exact one can be trained on: Nyström features, linear solvers."""

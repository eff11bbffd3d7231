"""What kernels are scored on: samples without repetitions, scaled, and their folds."""

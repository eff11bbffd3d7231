"""What every room uses and no support vector machine is in: checks, weights, memory, files, threads."""

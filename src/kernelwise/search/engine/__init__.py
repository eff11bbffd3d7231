"""How a kernel is scored: cross-validation along a path of C, and what accompanies it."""

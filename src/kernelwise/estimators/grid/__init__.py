"""The parts of `GridSearchSVC`."""

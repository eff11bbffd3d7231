"""The papers' tables and figures, one file for each paper, and ours: ``kernelwise reproduce``."""

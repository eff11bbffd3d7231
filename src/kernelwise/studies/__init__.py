"""The papers' tables, one file for each paper: ``python -m kernelwise.studies.yin``, for example."""

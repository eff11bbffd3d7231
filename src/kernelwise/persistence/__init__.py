"""Models in files that execute nothing when they are read."""

from kernelwise.persistence.model_file import load, load_with_notes, save

__all__ = ["load", "load_with_notes", "save"]

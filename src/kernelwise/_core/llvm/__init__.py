"""Loops written in a small part of Python, in LLVM's language."""

"""The papers' tables and figures, and a comparison of our own: ``kernelwise reproduce``.

`abe`, `ayat`, `glasmachers`, `laanaya` and `yin` repeat the experiments of papers 000 to 004, which
:mod:`kernelwise.selection` names; `beyond` compares all methods with one another. Modules with an underscore
have parts of a study, or tables and figures that all studies share.
"""

"""The papers' tables and figures, and a comparison of our own: ``kernelwise reproduce``.

`abe`, `ayat`, `glasmachers`, `laanaya` and `yin` repeat the experiments of papers 000 to 004, which
:mod:`kernelwise.selection` names; `beyond` compares all methods with one another, with `ranks`. The folder of
a paper has the parts of its study, which its ``__init__`` names, what the paper says and where
(``claims.toml``), and the rules that judge it (`rules`).

All studies share `study` (cells, data sets, results, and the run of their parts), `tables`, `figures` and
`claims`, whose words `notions` gives a meaning in numbers. `writing` writes the page of a study.
"""

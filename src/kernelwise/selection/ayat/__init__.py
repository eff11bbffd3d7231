"""Paper 001."""

from kernelwise.selection.ayat.procedure import PAPER_SEARCH, ayat_select
from kernelwise.selection.ayat.result import AyatResult, PairMachine, PairTuning

__all__ = ["PAPER_SEARCH", "AyatResult", "PairMachine", "PairTuning", "ayat_select"]

"""Tables with words and gaps as features: data frames, arrays with gaps, and files of the command line."""

from kernelwise.frames.column import Column, learn_column
from kernelwise.frames.doubts import frame_findings
from kernelwise.frames.encoder import Encoder, Layout, by_column, learn_encoder
from kernelwise.frames.frame import Frame
from kernelwise.frames.reading import new_frame, to_frame

__all__ = [
    "Column",
    "Encoder",
    "Frame",
    "Layout",
    "by_column",
    "frame_findings",
    "learn_column",
    "learn_encoder",
    "new_frame",
    "to_frame",
]

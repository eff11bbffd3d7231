"""Features of a file, a data frame or an array, made in the same way for new rows.

`read` has a reader for every kind of file, and one for data frames and arrays; all of them make a `Table`.
What is learned of one column of the training samples is a `Column`, and the `Encoder` of all columns makes
features. `settle` is what is done to a raw table before: `written` reads numbers as people write them, and
`dates` reads dates and is a kind of column, as `text` is; `judge` says whether text helps, and `codes`
whether whole numbers are names, by rows of `draw`. `training_file` is the way from a file to X and y,
`target` finds and reads y, and `new_rows` has the rows to predict, of a file or a frame. What keeps a file
from being used is in `problems`, what may be wrong with a table that is used in `warnings`. `cells` is about
single cells.
"""

from kernelwise.tables.column import COLUMN_KINDS, Column, LeftOut
from kernelwise.tables.dates import Dates
from kernelwise.tables.encoder import Encoder, Layout, by_column, learn_encoder
from kernelwise.tables.judge import coded_table, judge_columns
from kernelwise.tables.read import read_table
from kernelwise.tables.read.frames import to_table
from kernelwise.tables.table import Table, TableError, is_missing, is_numbers
from kernelwise.tables.target import DETECTION, check_no_quantity, spelling_findings, usual_targets
from kernelwise.tables.text import Text
from kernelwise.tables.training_file import Encoding, Learned, learn_encoding
from kernelwise.tables.warnings import findings_of_table, missing_codes

__all__ = [
    "COLUMN_KINDS",
    "DETECTION",
    "Column",
    "Dates",
    "Encoder",
    "Encoding",
    "Layout",
    "Learned",
    "LeftOut",
    "Table",
    "TableError",
    "Text",
    "by_column",
    "check_no_quantity",
    "coded_table",
    "findings_of_table",
    "is_missing",
    "is_numbers",
    "judge_columns",
    "learn_encoder",
    "learn_encoding",
    "missing_codes",
    "read_table",
    "spelling_findings",
    "to_table",
    "usual_targets",
]

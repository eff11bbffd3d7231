"""Files of users as tables, and tables as numbers: CSV and its kin, Parquet, LIBSVM."""

from kernelwise.tables.encoding import Encoding
from kernelwise.tables.learning import Learned, learn_encoding
from kernelwise.tables.reading import read_table
from kernelwise.tables.table import Table, TableError

__all__ = ["Encoding", "Learned", "Table", "TableError", "learn_encoding", "read_table"]

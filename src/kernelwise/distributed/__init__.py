"""Data and work on dask: the only modules that import it."""

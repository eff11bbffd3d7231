"""The command line: one small file for each command; what is slow to import is imported inside them."""

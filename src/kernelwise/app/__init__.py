"""The app: a page on this computer in which a table is dropped, a model trained, and new rows predicted.

It computes nothing itself. `commands` runs the command line in a process of its own, so that its sentences
are those of the terminal and a job can be stopped; `columns` tells what a file holds before a target is
chosen; `server` lets one browser on this computer, and nobody else, ask for these; `page` is what it sees.
"""

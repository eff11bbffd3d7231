"""Loops that are compiled."""

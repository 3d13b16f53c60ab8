"""Measurements: `make bench`, or `python -m tests.bench trainer/kills` for one of them.

A topic is a module here with a dict MEASUREMENTS of functions; each returns a Measured. Adding one is adding a file.
"""

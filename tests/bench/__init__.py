"""Measurements: `make bench`, or `python -m tests.bench trainer/kills` for one of them.

A topic is a module here with a dict MEASUREMENTS: paths below the topic, and functions that return a Measured.
Adding a topic is adding a file.
"""

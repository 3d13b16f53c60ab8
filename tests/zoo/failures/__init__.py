"""Failures that people reported in public, as small scripts, each with a healthy twin."""

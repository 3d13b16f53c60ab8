"""Traits of a run: what measurements assume of its objective, shown once on its first batch."""

"""Tiny, real, healthy subjects: what a fault is put into, and what no probe may find anything in."""

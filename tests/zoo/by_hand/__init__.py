"""Models, losses and loops that people write by hand."""

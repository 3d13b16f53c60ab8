"""What influences what: rows each other, inputs the output, and a forward pass its own batch."""

"""Models of transformers with the collators of their examples."""

"""Healthy set-ups that no probe was tuned for: other people's models, collators, losses and loops, small and real."""

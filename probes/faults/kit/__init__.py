"""What several faults need to be put in."""

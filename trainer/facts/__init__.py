"""The facts of a run of this trainer for the diagnosis; each function provides the fact of its name."""

"""The page: one self-contained HTML file of a preflight, of data, or of a run."""

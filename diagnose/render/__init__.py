"""A report for eyes (text), for programs (json) and for CI systems (sarif, junit)."""

"""What is measured, by topic: `facts.py` gives the facts, `types.py` says what they hold, the rest measures."""

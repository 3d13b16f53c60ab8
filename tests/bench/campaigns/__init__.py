"""Long campaigns: kills of a recording, damaged files."""

"""Bytes as text."""

UNITS = ((1e9, "GB", 2), (1e6, "MB", 1), (1e3, "kB", 1), (0.0, "bytes", 0))


def size_text(number: float) -> str:
    """1.25 GB, 3.4 MB, 512 bytes."""
    unit, name, places = next(row for row in UNITS if number >= row[0])
    return f"{number / (unit or 1):.{places}f} {name}"

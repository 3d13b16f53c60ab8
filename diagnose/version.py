"""The version, on its own, so that packaging and receipts read it without importing anything."""

__version__ = "0.1.0"

"""Reads what trainers leave behind, whatever their format, as Records."""

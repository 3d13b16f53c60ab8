"""The gate before a model is given away: four checks, each with its evidence and an owner who signs."""

"""Rows of the training set as the model gets them, to be looked at."""

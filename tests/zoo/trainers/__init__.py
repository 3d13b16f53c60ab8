"""Trainers as the example scripts of transformers, peft, TRL and sentence-transformers build them."""

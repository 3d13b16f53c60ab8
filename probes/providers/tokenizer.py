"""The tokenizer beside the model: tables, special tokens, texts there and back, the extractor."""

from typing import TYPE_CHECKING

from diagnose.facts import NotApplicable
from probes.measured.steps import FirstStep
from probes.measured.tokenizer import TokenTables

if TYPE_CHECKING:
    from torch.nn import Module


def token_tables(model: "Module", first_step: FirstStep | None = None) -> TokenTables:
    """What ids are looked up in."""
    from probes.instruments.tables import tables_of

    classes = first_step.loss.vocabulary if first_step and first_step.loss else None
    tables = tables_of(model, classes)
    if tables.embedding is None:
        raise NotApplicable("the model has no embedding: nothing reads tokens")
    return tables

"""What the rows of the token tables mean: whether they were trained, and the tokenizer stored beside them."""

from pathlib import Path
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.tokens import decoder_embedding, table_of
from probes.facts.parameters.new_parameters import MARK, looks_freshly_initialized
from probes.facts.parameters.parameter_table import matches
from probes.facts.tokenizer.types import StoredVocabulary

MOVED = 1e-4  # standard deviation of a norm's weights: they begin as ones

STORED = ("tokenizer.json", "vocab.*", "*.model", "tokenizer_config.json")  # any of these is a tokenizer


def require_trained_tables(model: torch.nn.Module, fresh: tuple[str, ...]) -> None:
    """All norms have moved from their ones, and the token tables are those of the checkpoint."""
    norms: list[Any] = [
        module.weight
        for module in model.modules()
        if "Norm" in type(module).__name__ and isinstance(getattr(module, "weight", None), torch.Tensor)
    ]
    if not norms or any(float(weight.detach().float().std(unbiased=False)) < MOVED for weight in norms):
        raise NotApplicable("the weights are not shown to be trained: a norm has its initial weights, or there is none")
    tables = [
        table for table in (decoder_embedding(model), table_of(model, "get_output_embeddings")) if table is not None
    ]
    names = {id(module): name for name, module in model.named_modules()}
    marked = any(getattr(parameter, MARK, False) for parameter in model.parameters())
    for table in tables:
        made_anew = marked and not getattr(table.weight, MARK, False)
        if made_anew or looks_freshly_initialized(table) or matches(f"{names.get(id(table), '')}.weight", fresh):
            raise NotApplicable("a token table is new or resized: its rows are to be learned")


def stored_vocabulary_of(model: torch.nn.Module, tokenizer: Any) -> StoredVocabulary | None:
    """None where the weights were not read from a directory with a tokenizer."""
    directory = getattr(getattr(model, "config", None), "_name_or_path", "")
    if not directory or not hasattr(tokenizer, "get_vocab"):
        return None
    if not any(path for pattern in STORED for path in Path(directory).glob(pattern)):
        return None  # transformers makes an empty tokenizer where there is none
    from transformers import AutoTokenizer

    try:
        stored = AutoTokenizer.from_pretrained(directory, local_files_only=True).get_vocab()
    except (OSError, ValueError, KeyError, TypeError):
        return None
    own = tokenizer.get_vocab()
    other = [(token, number, own.get(token)) for token, number in sorted(stored.items(), key=lambda one: one[1])]
    differing = [one for one in other if one[1] != one[2]]
    return StoredVocabulary(directory, len(stored), len(stored) - len(differing), next(iter(differing), None))

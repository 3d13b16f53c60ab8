"""Finds the tables that ids are looked up in: embeddings, head, and the decoder's places."""

from collections.abc import Callable
from typing import Any

import torch

from probes.facts.core.types import TokenTable, TokenTables

PLACES = ("max_target_positions", "max_position_embeddings")


def tables_of(model: torch.nn.Module, classes: int | None = None) -> TokenTables:
    """By the model's own word where it has one; else its largest embedding, and the classes of its logits."""
    names = {id(module): name for name, module in model.named_modules()}
    inputs = _asked(model, "get_input_embeddings") or _largest(model)
    read = decoder_embedding(model)
    head = _asked(model, "get_output_embeddings")
    config = getattr(model, "config", None)
    setting, places = _places(config)
    return TokenTables(
        embedding=_table(read, names),
        inputs=_table(inputs, names),
        head=_table(head, names) or (TokenTable("the logits", classes) if classes else None),
        tied=None if read is None or head is None else head.weight.data_ptr() == read.weight.data_ptr(),
        flag=getattr(getattr(config, "decoder", None) or config, "tie_word_embeddings", None),
        positions=places,
        positions_from=setting,
    )


def decoder_embedding(model: torch.nn.Module) -> Any:
    """What the decoder reads its tokens with. A model around two others may mean its encoder by "input"."""
    inner = _asked(getattr(model, "decoder", None), "get_input_embeddings")
    return inner or _asked(model, "get_input_embeddings") or _largest(model)


def _asked(model: Any, question: str) -> Any:
    """What the model answers, where it can and where that is a table."""
    ask: Callable[[], Any] | None = getattr(model, question, None)
    try:
        found: Any = ask() if callable(ask) else None
    except (NotImplementedError, AttributeError, TypeError):
        return None
    return found if isinstance(getattr(found, "weight", None), torch.Tensor) and found.weight.dim() == 2 else None


def _largest(model: torch.nn.Module) -> torch.nn.Embedding | None:
    found = [module for module in model.modules() if isinstance(module, torch.nn.Embedding)]
    return max(found, key=lambda module: module.num_embeddings, default=None)


def _table(module: Any, names: dict[int, str]) -> TokenTable | None:
    return (
        None
        if module is None
        else TokenTable(names.get(id(module), type(module).__name__), int(module.weight.shape[0]))
    )


def _places(config: Any) -> tuple[str, int | None]:
    """The decoder's own configuration first: the one around it may speak of the encoder."""
    if not getattr(config, "is_encoder_decoder", False):
        return "", None
    inner = getattr(config, "decoder", None)
    for holder, said in ((inner, "model.config.decoder"), (config, "model.config")):
        for name in PLACES:
            if isinstance(getattr(holder, name, None), int):
                return f"{said}.{name}", getattr(holder, name)
    return "", None

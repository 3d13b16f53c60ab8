"""Finds the tables that ids are looked up in: embeddings, head, and the decoder's positions."""

from collections.abc import Callable
from typing import Any

import torch

from probes.facts.core.types import TokenTable, TokenTables

Encode = Callable[[str, str], list[int]]

PLACES = ("max_target_positions", "max_position_embeddings")


def tables_of(model: torch.nn.Module, classes: int | None = None) -> TokenTables:
    """As the model's methods return them; else its largest embedding, and the classes of its logits."""
    names = {id(module): name for name, module in model.named_modules()}
    inputs = table_of(model, "get_input_embeddings") or _largest(model)
    read = decoder_embedding(model)
    head = table_of(model, "get_output_embeddings")
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
    """The embedding of the decoder's tokens: in a model around two others, "input" may mean the encoder's."""
    inner = table_of(getattr(model, "decoder", None), "get_input_embeddings")
    return inner or table_of(model, "get_input_embeddings") or _largest(model)


def table_of(model: Any, method: str) -> Any:
    """The module that get_input_embeddings or get_output_embeddings returns; None unless its weight is a matrix."""
    get: Callable[[], Any] | None = getattr(model, method, None)
    try:
        found: Any = get() if callable(get) else None
    except (NotImplementedError, AttributeError, TypeError):
        return None
    return found if isinstance(getattr(found, "weight", None), torch.Tensor) and found.weight.dim() == 2 else None


def _largest(model: torch.nn.Module) -> torch.nn.Embedding | None:
    found = [module for module in model.modules() if isinstance(module, torch.nn.Embedding)]
    return max(found, key=lambda module: module.num_embeddings, default=None)


def _table(module: Any, names: dict[int, str]) -> TokenTable | None:
    if module is None:
        return None
    return TokenTable(names.get(id(module), type(module).__name__), int(module.weight.shape[0]))


def _places(config: Any) -> tuple[str, int | None]:
    """The decoder's own configuration comes first: the outer one may describe the encoder."""
    if not getattr(config, "is_encoder_decoder", False):
        return "", None
    inner = getattr(config, "decoder", None)
    for holder, path in ((inner, "model.config.decoder"), (config, "model.config")):
        for name in PLACES:
            if isinstance(getattr(holder, name, None), int):
                return f"{path}.{name}", getattr(holder, name)
    return "", None


def encoder_of(tokenizer: Any) -> Encode:
    """Ids of a text as the tokenizer writes it on one side: "text" or "text_target"."""

    def encode(text: str, side: str = "text_target") -> list[int]:
        try:
            return list(tokenizer(**{side: text})["input_ids"])
        except TypeError:  # a tokenizer that knows no sides
            return list(tokenizer(text)["input_ids"])

    return encode


def text_ids(tokenizer: Any, text: str) -> list[int]:
    """Of the text alone, without special tokens: an end token behind it may have the id of the unknown one."""
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def special_tokens(tokenizer: Any) -> dict[int, str]:
    """Names of the special ids. The unknown token counts as text, unless it ends rows as well, as Whisper's."""
    added = getattr(tokenizer, "added_tokens_decoder", {})
    special = {number: str(token) for number, token in added.items() if getattr(token, "special", False)}
    for number in getattr(tokenizer, "all_special_ids", ()):
        special.setdefault(number, str(tokenizer.convert_ids_to_tokens(number)))
    others = {getattr(tokenizer, f"{part}_token_id", None) for part in ("eos", "bos", "pad", "cls", "sep")}
    if (unknown := getattr(tokenizer, "unk_token_id", None)) not in others:
        special.pop(unknown, None)
    return special

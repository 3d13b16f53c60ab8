"""Where the parts of a model are that faults are put into: found by role, in any model."""

from collections.abc import Iterator, Mapping
from typing import Any

from diagnose.engine.context import NotApplicable

Facts = dict[str, Any]
QUERIES = ("q_proj", "q", "query", "linear_q", "to_q", "q_lin")
ACTIVATIONS = ("activation_fn", "intermediate_act_fn", "act", "activation", "act_fn")


def encoder_of(facts: Facts) -> Any:
    return _part(facts["model"], "encoder")


def decoder_of(facts: Facts) -> Any:
    """The innermost of what is called so: a language model around it is not meant. Without one, the front."""
    if not _has(facts["model"], "decoder"):
        return front_of(facts)
    part = _part(facts["model"], "decoder")
    while inner := next(_called(part, "decoder"), None):
        part = inner
    return part


def front_of(facts: Facts) -> Any:
    """The encoder, or the first layer with weights of a model without one."""
    if _has(facts["model"], "encoder"):
        return encoder_of(facts)
    return next(part for part in facts["model"].modules() if part._parameters)


def head_of(facts: Facts) -> Any:
    """What makes the scores: the output embeddings of transformers, or the last linear layer."""
    from torch.nn import Linear

    model = facts["model"]
    for holder in (model, getattr(model, "decoder", None)):
        get_head = getattr(holder, "get_output_embeddings", None)
        if get_head is not None and (head := get_head()) is not None:
            return head
    layers = [part for part in model.modules() if isinstance(part, Linear)]
    named = [getattr(model, name) for name in ("head", "lm_head", "proj_out", "classifier") if hasattr(model, name)]
    found = [part for part in (*named, *layers[-1:]) if isinstance(part, Linear)]
    if not found:
        raise NotApplicable("the model has no linear head")
    return found[0]


def query_of(facts: Facts) -> Any:
    """The layer that makes the queries of the encoder's first attention."""
    for name, part in front_of(facts).named_modules():
        if name.rpartition(".")[2] in QUERIES and hasattr(part, "weight"):
            return part
    raise NotApplicable("no layer of the encoder makes queries under a name that is known")


def activation_of(facts: Facts) -> tuple[Any, str]:
    """The module that holds the first activation beside a linear layer, and the activation's name in it."""
    from torch.nn import Linear

    parts = [*front_of(facts).modules(), *facts["model"].modules()]
    beside = [part for part in parts if any(isinstance(child, Linear) for child in part.children())]
    for part in (*beside, *parts):
        name = next(_activations(part), None)
        if name is not None:
            return part, name
    raise NotApplicable("the model has no activation under a name that is known")


def _activations(part: Any) -> Iterator[str]:
    from torch.nn.modules import activation

    yield from (name for name in ACTIVATIONS if callable(getattr(part, name, None)))
    for name, child in part.named_children():
        if type(child).__module__ == activation.__name__ and "Attention" not in type(child).__name__:
            yield name


def main_input(model: Any, batch: Any) -> str:
    """The key of what the model reads."""
    import torch

    name = getattr(model, "main_input_name", None)
    if isinstance(name, str) and name in batch:
        return name
    sizes = {key: value.numel() for key, value in batch.items() if torch.is_tensor(value) and value.is_floating_point()}
    found = max(sizes, key=sizes.__getitem__) if sizes else "input_ids"
    if found not in batch:
        raise NotApplicable("no key of the batches is known to be the input")
    return found


def label_key(batch: Any) -> str:
    for name in ("labels", "toks"):
        if name in batch:
            return name
    keys = ", ".join(map(str, batch)) if isinstance(batch, Mapping) else f"they are of type {type(batch).__name__}"
    raise NotApplicable(f"no key of the batches is known to hold labels: {keys}")


def _has(model: Any, role: str) -> bool:
    return next(_called(model, role), None) is not None


def _part(model: Any, role: str) -> Any:
    get = getattr(model, f"get_{role}", None)
    found = get() if get is not None else None
    found = found if found is not None and found is not model else next(_called(model, role), None)
    if found is None:
        raise NotApplicable(f"no part of the model is called {role}")
    return found


def _called(model: Any, role: str) -> Iterator[Any]:
    """The shallowest first."""
    named = [(name.count("."), part) for name, part in model.named_modules() if name.rpartition(".")[2] == role]
    return (part for _, part in sorted(named, key=lambda one: one[0]))

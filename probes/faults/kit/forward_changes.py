"""Changes of the forward pass that faults are made of: other outputs of a module, another loss."""

from collections.abc import Callable
from typing import Any

from probes.faults.kit.changes import Facts, batch_of


def hook_output(module: Any, change: Callable[[Any], Any]) -> None:
    """Every forward pass of the module returns a changed output from now on."""
    module.register_forward_hook(lambda _module, _inputs, output: _changed(output, change))


def _changed(output: Any, change: Callable[[Any], Any]) -> Any:
    """The main tensor of whatever a module returns: an output of transformers, a tuple, rows that are packed."""
    if hasattr(output, "last_hidden_state"):
        output.last_hidden_state = change(output.last_hidden_state)
        return output
    if hasattr(output, "batch_sizes"):
        return output._replace(data=change(output.data))
    return (_changed(output[0], change), *output[1:]) if isinstance(output, tuple) else change(output)


def last_hook(module: Any) -> Any:
    """The change of its output, as a function; None where nothing changes it."""
    hooks = list(module._forward_hooks.values())
    return (lambda output: hooks[-1](module, (), output)) if hooks else None


def loss_of(facts: Facts) -> Any:
    """The loss of the first items, by the facts' own compute_loss."""
    return usual_loss(facts)(facts["model"], batch_of(facts))


def with_loss_value(facts: Facts, change: Callable[[Any, Any], Any]) -> Facts:
    """The facts with a compute_loss whose value is change(loss, batch)."""
    usual = usual_loss(facts)
    return {**facts, "compute_loss": lambda model, batch: change(usual(model, batch), batch)}


def usual_loss(facts: Facts) -> Any:
    from probes.facts.core.model_output import loss_of_output

    return facts.get("compute_loss", loss_of_output)

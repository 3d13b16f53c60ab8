"""What faults of the gradients are made of: changed outputs of the front, and training steps of the user's own."""

from collections.abc import Callable, Sequence
from typing import Any

from probes.faults.kit.changes import Facts, batch_of
from probes.faults.kit.forward_changes import hook_output, loss_of, usual_loss
from probes.faults.kit.model_parts import encoder_of, front_of

Body = Callable[[Any, Any, Callable[[], Any]], Any]


def change_front_output(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """The facts with a model whose front returns a changed output while it trains."""
    front = front_of(facts)
    hook_output(front, lambda hidden: change(hidden) if front.training else hidden)
    return facts


def change_encoder_output(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """The facts with a model whose encoder returns a changed output."""
    hook_output(encoder_of(facts), change)
    return facts


def multiply_gradient(hidden: Any, factor: float) -> Any:
    """The same values; their gradient is multiplied on its way back."""
    if hidden.requires_grad:
        hidden.register_hook(lambda gradient: gradient * factor)
    return hidden


def with_own_step(facts: Facts, body: Body) -> Facts:
    """The facts with a training step of the user's: body(model, optimizer, loss)."""
    model, optimizer, loss = facts["model"], facts["optimizer"], usual_loss(facts)

    def training_step(batch: Any) -> Any:
        return body(model, optimizer, lambda: loss(model, batch))

    return {**facts, "training_step": training_step}


def own_step_of(facts: Facts, look: Callable[[], Any]) -> Any:
    """What `look` sees after the facts' own step was called; None where there is none. Everything is put back."""
    from probes.facts.core.observer import restore_afterwards

    if "training_step" not in facts:
        return None
    batch = batch_of(facts)
    with restore_afterwards(facts["model"], facts["optimizer"]):
        facts["training_step"](batch)
        return look()


def with_accumulated_step(facts: Facts, share: Callable[[int], float]) -> Facts:
    """The facts with an accumulated step of the user's, in which each loss counts for share(number of batches)."""
    model, optimizer, loss = facts["model"], facts["optimizer"], usual_loss(facts)

    def accumulated_step(batches: Sequence[Any]) -> None:
        model.train()
        for batch in batches:
            (loss(model, batch) * share(len(batches))).backward()
        optimizer.step()
        optimizer.zero_grad()

    return {**facts, "accumulated_step": accumulated_step}


def at_update(facts: Facts, batches: list[Any], look: Callable[[], Any]) -> Any:
    """What `look` sees when the facts' accumulated step updates; None where there is none. Everything is put back."""
    from probes.facts.core.observer import restore_afterwards

    if "accumulated_step" not in facts:
        return None
    looks: list[Any] = []
    with restore_afterwards(facts["model"], facts["optimizer"], facts.get("scheduler")):
        facts["optimizer"].register_step_pre_hook(lambda *_: looks.append(look()))
        facts["accumulated_step"](batches)
    return looks[0]


def norm_of(facts: Facts) -> float:
    """Of all gradients there are."""
    gradients = [weight.grad for weight in facts["model"].parameters() if weight.grad is not None]
    return float(sum(float(gradient.square().sum()) for gradient in gradients)) ** 0.5


def backward_of(facts: Facts, look: Callable[[], Any]) -> Any:
    """What `look` sees after one backward pass of the first items in training mode."""
    from probes.facts.core.observer import restore_afterwards

    with restore_afterwards(facts["model"], facts["optimizer"]):
        facts["model"].train()
        loss_of(facts).backward()
        return look()


def untied(facts: Facts, module: Any) -> list[Any]:
    """The module's parameters that no other part of the model shares."""
    names = [id(parameter) for _, parameter in facts["model"].named_parameters(remove_duplicate=False)]
    return [parameter for parameter in module.parameters() if names.count(id(parameter)) == 1]


def gradients_of(facts: Facts, module: Any) -> list[Any]:
    """Gradients of what the module alone holds, after one backward pass of the first items."""
    from probes.facts.core.observer import restore_afterwards

    with restore_afterwards(facts["model"]):
        loss_of(facts).backward()
        return [parameter.grad for parameter in untied(facts, module)]


def largest_of(facts: Facts, module: Any) -> float:
    """The largest element of the gradients of what the module alone holds."""
    return max(float(weight.grad.abs().max()) for weight in untied(facts, module) if weight.grad is not None)

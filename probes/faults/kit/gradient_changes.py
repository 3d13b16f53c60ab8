"""What faults of the gradients are made of: a place in the middle of every subject, and training steps of one's own."""

from collections.abc import Callable, Sequence
from typing import Any

from probes.faults.kit.changes import Facts, batch_of, hook_output, loss_of, untied, usual_loss
from probes.faults.kit.model_parts import front_of

Body = Callable[[Any, Any, Callable[[], Any]], Any]


def hooked(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """The facts with a model whose middle gives a changed output while it trains."""
    middle = front_of(facts)
    hook_output(middle, lambda hidden: change(hidden) if middle.training else hidden)
    return facts


def with_own_step(facts: Facts, body: Body) -> Facts:
    """The facts with a training step of the user's: body(model, optimizer, loss)."""
    model, optimizer, loss = facts["model"], facts["optimizer"], usual_loss(facts)

    def training_step(batch: Any) -> Any:
        return body(model, optimizer, lambda: loss(model, batch))

    return {**facts, "training_step": training_step}


def own_steps_of(facts: Facts, look: Callable[[], Any], calls: int = 1) -> Any:
    """What `look` sees after the facts' own step was called; everything is put back."""
    from probes.facts.core.observer import restore_afterwards

    if "training_step" not in facts:
        return None
    batch = batch_of(facts)
    with restore_afterwards(facts["model"], facts["optimizer"]):
        for _ in range(calls):
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
    seen: list[Any] = []
    with restore_afterwards(facts["model"], facts["optimizer"], facts.get("scheduler")):
        facts["optimizer"].register_step_pre_hook(lambda *given: seen.append(look()))
        facts["accumulated_step"](batches)
    return seen[0]


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


def largest_of(facts: Facts, module: Any) -> float:
    """The largest element of the gradients of what the module alone holds."""
    return max(float(weight.grad.abs().max()) for weight in untied(facts, module) if weight.grad is not None)

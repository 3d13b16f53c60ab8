"""Small changes that faults are made of: another collator, another output of a module."""

from collections.abc import Callable
from typing import Any

from probes.faults.kit.model_parts import Facts, encoder_of, label_key

__all__ = ["Facts", "encoder_of", "label_key"]

SEQUENCES = ("whisper", "e2e", "hybrid", "mt5")
THEIRS = ("whisper", "e2e", "mt5")  # models of transformers
OURS = ("hybrid", "classifier")


class ChangedDataset:
    """Batches that are changed whenever they are drawn."""

    def __init__(self, batches: Any, change: Callable[[Any], Any]) -> None:
        self.batches, self.change = batches, change

    def __iter__(self) -> Any:
        return map(self.change, self.batches)


def with_batches(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """The facts with a collator that changes every batch, and loaders that use it."""
    if "collate" not in facts or "train_dataset" not in facts:
        return {**facts, "train_batches": ChangedDataset(facts["train_batches"], change)}

    def collate(items: list[Any]) -> Any:
        return change(facts["collate"](items))

    collate.before = facts["collate"]  # type: ignore[attr-defined]
    return {**facts, "collate": collate, "train_batches": loader(facts, collate=collate)}


def loader(facts: Facts, dataset: Any = None, collate: Any = None, shuffle: bool = True, **more: Any) -> Any:
    """A loader like the subject's own, over another dataset or with another collator."""
    from torch.utils.data import DataLoader

    usual = facts.get("train_batches")
    size = getattr(usual, "batch_size", None) or getattr(getattr(usual, "batch_sampler", None), "batch_size", 4)
    how = {"batch_size": size, "shuffle": shuffle, "collate_fn": collate or facts["collate"], **more}
    return DataLoader(dataset if dataset is not None else facts["train_dataset"], **how)


def batch_of(facts: Facts, rows: int = 4) -> Any:
    """The first items, collated; of a subject that has batches alone, the first of them."""
    import torch

    if "collate" in facts and "train_dataset" in facts:
        return facts["collate"]([facts["train_dataset"][number] for number in range(rows)])
    with torch.random.fork_rng(devices=[]):  # the same one each time, in whatever order they come
        torch.manual_seed(0)
        return next(iter(facts["train_batches"]))


def with_labels(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """The facts with other labels, under whatever key the batches have them."""
    return with_batches(facts, lambda batch: {**batch, label_key(batch): change(batch[label_key(batch)])})


def before_and_after(facts: Facts) -> tuple[Any, Any] | None:
    """The first items as they were collated and as they are; None where the collator was not changed."""
    if isinstance(facts.get("train_batches"), ChangedDataset):
        return batch_of({"train_batches": facts["train_batches"].batches}), batch_of(facts)
    before = getattr(facts.get("collate"), "before", None)
    return None if before is None else (batch_of({**facts, "collate": before}), batch_of(facts))


def labels_changed(facts: Facts, test: Callable[[Any, Any], Any]) -> bool:
    """Whether a test of labels before and after holds; never where nothing was changed."""
    pair = before_and_after(facts)
    return pair is not None and bool(test(*(batch[label_key(batch)] for batch in pair)))


def first_labels(facts: Facts) -> Any:
    batch = batch_of(facts)
    return batch[label_key(batch)]


def untied(facts: Facts, module: Any) -> list[Any]:
    """The module's parameters that no other part of the model shares."""
    names = [id(parameter) for _, parameter in facts["model"].named_parameters(remove_duplicate=False)]
    return [parameter for parameter in module.parameters() if names.count(id(parameter)) == 1]


def hook_output(module: Any, change: Callable[[Any], Any]) -> None:
    """Every forward pass of the module gives a changed output from now on."""

    module.register_forward_hook(lambda _module, _given, output: _changed(output, change))


def _changed(output: Any, change: Callable[[Any], Any]) -> Any:
    """The main tensor of whatever a module returns: an output of transformers, a tuple, rows that are packed."""
    if hasattr(output, "last_hidden_state"):
        output.last_hidden_state = change(output.last_hidden_state)
        return output
    if hasattr(output, "batch_sizes"):
        return output._replace(data=change(output.data))
    return (_changed(output[0], change), *output[1:]) if isinstance(output, tuple) else change(output)


def last_hook(module: Any) -> Any:
    """What changes its output, to be asked by itself; None where nothing does."""
    hooks = list(module._forward_hooks.values())
    return (lambda output: hooks[-1](module, (), output)) if hooks else None


def loss_of(facts: Facts) -> Any:
    """The loss of the first items, by the facts' own compute_loss."""
    return usual_loss(facts)(facts["model"], batch_of(facts))


def usual_loss(facts: Facts) -> Any:
    from probes.facts.core.model_output import loss_of_output

    return facts.get("compute_loss", loss_of_output)


def gradients_of(facts: Facts, module: Any) -> list[Any]:
    """Gradients of what the module alone holds, after one backward pass of the first items."""
    from probes.facts.core.observer import restore_afterwards

    with restore_afterwards(facts["model"]):
        loss_of(facts).backward()
        return [parameter.grad for parameter in untied(facts, module)]


def with_targets(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """The facts with labels of another length; where the batches say how long labels are, they say it anew."""

    def changed(batch: Any) -> Any:
        labels = change(batch[label_key(batch)])
        lengths = {"tok_lens": (labels != -100).sum(1)} if "tok_lens" in batch else {}
        return {**batch, label_key(batch): labels, **lengths}

    return with_batches(facts, changed)


def by_row(labels: Any, change: Callable[[list[int]], list[int]]) -> Any:
    """Labels in which each row's scored ids are changed, padded with -100 again."""
    import torch

    rows = [torch.tensor(change([token for token in row if token >= 0])) for row in labels.tolist()]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=-100)


def start_of(facts: Facts) -> int:
    """What the model puts before the labels."""
    return facts["model"].config.decoder_start_token_id


def without_facts(facts: Facts, *names: str) -> Facts:
    """The facts of a person who says nothing about these."""
    return {name: value for name, value in facts.items() if name not in names}


def mode_matters(facts: Facts) -> bool:
    """Whether the model's loss is another in training mode than in evaluation."""
    import torch

    from probes.facts.core.observer import restore_afterwards

    with restore_afterwards(facts["model"]), torch.no_grad():
        losses = [float(loss_of({**facts, "model": facts["model"].train(mode)})) for mode in (True, False)]
    return losses[0] != losses[1]

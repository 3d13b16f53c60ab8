"""Small changes that faults are made of: another collator, another output of a module."""

from collections.abc import Callable
from typing import Any

Facts = dict[str, Any]
ENCODERS = {
    "WhisperForConditionalGeneration": "model.encoder",
    "SpeechEncoderDecoderModel": "encoder",
    "MT5ForConditionalGeneration": "encoder",
    "Hybrid": "encoder",
}
SEQUENCES = ("whisper", "e2e", "hybrid", "mt5")


def with_batches(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """The facts with a collator that changes every batch, and loaders that use it."""
    from torch.utils.data import DataLoader

    def collate(items: list[Any]) -> Any:
        return change(facts["collate"](items))

    loader = DataLoader(facts["train_dataset"], batch_size=4, shuffle=True, collate_fn=collate)
    return {**facts, "collate": collate, "train_batches": loader}


def with_labels(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """The facts with other labels, under whatever key the batches have them."""
    return with_batches(facts, lambda batch: {**batch, label_key(batch): change(batch[label_key(batch)])})


def label_key(batch: Any) -> str:
    return "labels" if "labels" in batch else "toks"


def first_labels(facts: Facts) -> Any:
    batch = facts["collate"]([facts["train_dataset"][number] for number in range(4)])
    return batch[label_key(batch)]


def encoder_of(facts: Facts) -> Any:
    return facts["model"].get_submodule(ENCODERS[type(facts["model"]).__name__])


def untied(facts: Facts, module: Any) -> list[Any]:
    """The module's parameters that no other part of the model shares."""
    names = [id(parameter) for _, parameter in facts["model"].named_parameters(remove_duplicate=False)]
    return [parameter for parameter in module.parameters() if names.count(id(parameter)) == 1]


def hook_output(module: Any, change: Callable[[Any], Any]) -> None:
    """Every forward pass of the module gives a changed output from now on."""

    def hook(_module: Any, _given: Any, output: Any) -> Any:
        if hasattr(output, "last_hidden_state"):
            output.last_hidden_state = change(output.last_hidden_state)
            return output
        return change(output)

    module.register_forward_hook(hook)


def loss_of(facts: Facts) -> Any:
    """The loss of the first items, by the facts' own compute_loss."""
    batch = facts["collate"]([facts["train_dataset"][number] for number in range(4)])
    return usual_loss(facts)(facts["model"], batch)


def usual_loss(facts: Facts) -> Any:
    from probes.instruments.outputs import loss_of_output

    return facts.get("compute_loss", loss_of_output)


def gradients_of(facts: Facts, module: Any) -> list[Any]:
    """Gradients of what the module alone holds, after one backward pass of the first items."""
    from probes.instruments.observer import observed

    with observed(facts["model"]):
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

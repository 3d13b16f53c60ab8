"""Batches of the wrong shape, type or order, as collators make them."""

from typing import Any

from diagnose import fault
from diagnose.facts import NotApplicable
from probes.faults.anatomy import main_input
from probes.faults.changes import (
    SEQUENCES,
    Facts,
    before_and_after,
    by_row,
    first_labels,
    label_key,
    labels_changed,
    loss_of,
    with_batches,
    with_labels,
    with_targets,
)

MODELS = ("whisper", "e2e", "mt5")


@fault("labels_as_decimals", "labels are float32", "LAB030", lambda f: first_labels(f).is_floating_point(), SEQUENCES)
def labels_as_decimals(facts: Facts) -> Facts:
    return with_labels(facts, lambda labels: labels.float())


@fault(
    "labels_turned_over",
    "labels are stacked position by position",
    "LAB031",
    lambda f: labels_changed(f, lambda before, after: before.T.shape == after.shape != before.shape),
    SEQUENCES,
)
def labels_turned_over(facts: Facts) -> Facts:
    return with_labels(facts, lambda labels: labels.T.contiguous())


def _holds(facts: Facts, *names: str) -> bool:
    batch = facts["collate"]([facts["train_dataset"][0]])
    return any(name in batch for name in names)


@fault("labels_dropped", "the collator returns no labels", "LAB032", lambda f: not _holds(f, "labels"), MODELS)
def labels_dropped(facts: Facts) -> Facts:
    return with_batches(facts, lambda batch: {name: value for name, value in batch.items() if name != "labels"})


def _without_input(facts: Facts) -> bool:
    pair = before_and_after(facts)
    return pair is not None and main_input(facts["model"], pair[0]) not in pair[1]


@fault("inputs_dropped", "the collator drops what the model reads", "DAT054", _without_input, SEQUENCES)
def inputs_dropped(facts: Facts) -> Facts:
    def rest(batch: Any) -> Any:
        read = main_input(facts["model"], batch)
        return {name: value for name, value in batch.items() if name != read}

    return with_batches(facts, rest)


def _to_the_right(labels: Any) -> Any:
    import torch

    return torch.stack([torch.cat([row[row == -100], row[row != -100]]) for row in labels])


@fault(
    "labels_padded_on_the_left",
    "labels are filled up in front",
    "LAB033",
    lambda f: bool((first_labels(f)[:, 0] == -100).any()),
    SEQUENCES,
)
def labels_padded_on_the_left(facts: Facts) -> Facts:
    return with_labels(facts, _to_the_right)


def _sorted(labels: Any) -> Any:
    return labels[(labels != -100).sum(1).argsort(descending=True, stable=True)]


def _moved(batch: Any) -> Any:
    lengths = {"tok_lens": (_sorted(batch[label_key(batch)]) != -100).sum(1)} if "tok_lens" in batch else {}
    return {**batch, label_key(batch): _sorted(batch[label_key(batch)]), **lengths}


@fault(
    "labels_sorted_by_length",
    "the collator sorts labels by length, and inputs not",
    "LAB034",
    lambda f: labels_changed(f, lambda before, after: not before.equal(after) and _sorted(before).equal(after)),
    SEQUENCES,
)
def labels_sorted_by_length(facts: Facts) -> Facts:
    return with_batches(facts, _moved)


@fault(
    "end_appended_again",
    "an end token is appended to labels that have one",
    "LAB035",
    lambda f: all(_ends(row, f["tokenizer"].eos_token_id) > 1 for row in first_labels(f).tolist()),
    ("e2e", "hybrid", "mt5"),
)
def end_appended_again(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: by_row(labels, lambda ids: [*ids, ids[-1]]))


def _ends(row: list[int], end: int) -> int:
    return row.count(end)


@fault(
    "ctc_lengths_of_the_padded",
    "the lengths of CTC targets are those of the padded batch",
    "LAB036",
    lambda f: len(set(f["collate"]([f["train_dataset"][n] for n in (0, 35)])["tok_lens"].tolist())) == 1,
    ("hybrid",),
)
def ctc_lengths_of_the_padded(facts: Facts) -> Facts:
    def padded(batch: Any) -> Any:
        return {**batch, "tok_lens": batch["tok_lens"] * 0 + batch["toks"].shape[1]}

    broken = with_batches(facts, padded)
    if abs(float(loss_of(broken).detach()) - float(loss_of(facts).detach())) < 1e-6:
        raise NotApplicable("its model does not read the lengths of the labels")
    return broken

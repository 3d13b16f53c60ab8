"""Broken collators are one root each, whatever they break; collators that only look odd are left alone."""

import pytest
import torch

import diagnose
from diagnose import Severity
from probes.facts.collation.label_text_match import TokenizerView, targets_of
from probes.facts.collation.row_alignment import align_rows
from probes.facts.collation.types import CollatedSample, DatasetItem
from probes.facts.core.batch_rows import input_of
from probes.faults.kit.changes import by_row, with_batches, with_labels, with_targets
from probes.healthy import healthy

STAGES = ("config", "data", "labels", "tokenizer", "parameters", "loss", "gradients")


def roots(facts):
    report = diagnose.preflight(stages=STAGES, **facts)
    return [root.probe for root in report.diagnosis if root.severity is not Severity.NOTE]


def without(key):
    return lambda facts: with_batches(facts, lambda batch: {k: v for k, v in batch.items() if k != key})


def masked(change):
    return lambda facts: with_batches(facts, lambda b: {**b, "attention_mask": change(b["attention_mask"])})


BROKEN = {
    "labels masked": (lambda f: with_labels(f, lambda x: x * 0 - 100), "LAB001"),
    "padding scored": (lambda f: with_labels(f, lambda x: x.masked_fill(x == -100, 0)), "LAB002"),
    "labels dropped": (without("labels"), "LAB032"),
    "inputs dropped": (without("input_ids"), "DAT054"),
    "labels float": (lambda f: with_labels(f, lambda x: x.double()), "LAB030"),
    "labels int32": (lambda f: with_labels(f, lambda x: x.int()), "LAB030"),
    "labels transposed": (lambda f: with_labels(f, lambda x: x.T.contiguous()), "LAB031"),
    "labels of fewer items": (lambda f: with_labels(f, lambda x: x[:-1] if len(x) > 1 else x), "LAB031"),
    "labels reversed": (lambda f: with_labels(f, lambda x: x.flip(0)), "LAB034"),
    "mask turned round": (masked(lambda mask: 1 - mask), "LAB021"),
    "mask of ones": (masked(lambda mask: mask * 0 + 1), "LAB022"),
    "cut without an end": (lambda f: with_targets(f, lambda x: by_row(x, lambda ids: ids[:4])), "LAB016"),
    "last word lost": (lambda f: with_targets(f, lambda x: by_row(x, lambda ids: [*ids[:-2], ids[-1]])), "LAB016"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_collator_is_one_root(kind):
    change, probe = BROKEN[kind]
    assert roots(change(healthy("mt5"))) == [probe]


def sorted_rows(batch):
    order = (batch["toks"] != -100).sum(1).argsort(descending=True)
    return {name: value[order] for name, value in batch.items()}


@pytest.mark.slow
def test_a_collator_that_sorts_whole_rows_is_left_alone():
    assert roots(with_batches(healthy("hybrid"), sorted_rows)) == []


def test_rows_are_known_by_content():
    batches = [{"x": torch.full((1, n), float(n)), "labels": torch.tensor([[n, 1]])} for n in (2, 3, 4)]
    x = torch.nn.utils.rnn.pad_sequence([batch["x"][0] for batch in batches], batch_first=True)
    labels = torch.tensor([[3, 1], [2, 1], [4, 1]])
    found = align_rows(batches, {"x": x, "labels": labels}, lambda batch: batch["labels"], input_of)
    assert (found.matched, found.misaligned) == (3, ((0, 0, 1), (1, 1, 0)))


def test_a_full_stop_that_is_taken_off_every_text_is_meant():
    def letters(text, side="text"):
        return [*map(ord, text), 1]

    texts = ["ab.", "abcd.", "abc.", "abcde."]
    items = tuple(DatasetItem(f"row {n}", {"transcript": text}) for n, text in enumerate(texts))
    tongue = TokenizerView(letters, {1: "</s>"}, (1,))
    stripped = tuple(tuple(letters(text[:-1])) for text in texts)
    assert not targets_of(CollatedSample(items, stripped), tongue).tail
    items = tuple(DatasetItem(f"row {n}", {"transcript": text[:-1]}) for n, text in enumerate(texts))
    cut = tuple(tuple(letters(text[:-2])) for text in texts)
    assert targets_of(CollatedSample(items, cut), tongue).tail == 1

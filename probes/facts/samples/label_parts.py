"""The labels of one row as text, with what is masked shown as such."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from probes.facts.samples.types import LabelPart

IGNORED = -100
Decode = Callable[[Sequence[int]], str]


def label_parts(ids: Sequence[int], inputs: Sequence[int], decode: Decode) -> Iterator[LabelPart]:
    """Neighbors of one kind together. Where input ids stand beside the labels, what is masked is read from them."""
    place = 0
    beside = inputs if len(inputs) == len(ids) else ()
    for masked, group in groupby(ids, key=lambda one: one == IGNORED):
        part = list(group)
        read = list(beside[place : place + len(part)]) if masked else part
        yield LabelPart(len(part), decode(read) if read else "", masked)
        place += len(part)


def decoder(tokenizer: Any, decode: Any) -> Decode:
    """With special tokens where there is a tokenizer; else the run's own decode; else the numbers."""

    def numbers(ids: Sequence[int]) -> str:
        return " ".join(map(str, ids))

    def with_tokenizer(ids: Sequence[int]) -> str:
        return str(tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False))

    def with_decode(ids: Sequence[int]) -> str:
        import torch

        return str(decode(torch.tensor([list(ids)]))[0])

    return with_tokenizer if hasattr(tokenizer, "decode") else with_decode if callable(decode) else numbers

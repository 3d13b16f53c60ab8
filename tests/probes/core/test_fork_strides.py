"""A batch comes out of the child with the strides that the collator gave it."""

import torch

from probes.facts.core.fork import run_in_fork


def test_a_view_keeps_its_strides_and_leaves_the_rest_behind() -> None:
    labels = run_in_fork(lambda: torch.arange(12).reshape(3, 4)[:, 1:])
    assert not labels.is_contiguous() and labels.stride() == (4, 1)
    assert labels.tolist() == [[1, 2, 3], [5, 6, 7], [9, 10, 11]]


def test_one_row_of_many_is_sent_alone() -> None:
    row = run_in_fork(lambda: torch.zeros(1000, 10)[:, 3])
    assert row.is_contiguous() and row.untyped_storage().nbytes() == 4000

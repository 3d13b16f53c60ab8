"""The finite test: exact wherever a bad value stands, and never misled by a sum that overflows."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from probes.facts.core.finite import LONG, PIECE, bad_counts, is_finite

REAL = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
BAD = (float("nan"), float("inf"), float("-inf"))


@given(st.sampled_from(REAL), st.integers(1, 5000), st.data(), st.sampled_from(BAD), st.sampled_from([1.0, 6e4, -6e4]))
def test_one_bad_element_is_seen_wherever_it_stands(
    dtype: torch.dtype, size: int, data: st.DataObject, bad: float, rest: float
) -> None:
    values = torch.full((size,), rest).to(dtype)
    assert is_finite(values)
    values[data.draw(st.integers(0, size - 1))] = bad
    assert not is_finite(values)
    assert not is_finite(torch.stack([values, values]).T)  # of another stride
    assert sum(bad_counts(values)) == 1


@pytest.mark.parametrize("place", [0, PIECE - 1, PIECE, LONG - 1, LONG, LONG + 6])
@pytest.mark.parametrize("rest", [1.0, 6e4])
def test_a_long_half_tensor_is_read_to_its_end(place: int, rest: float) -> None:
    values = torch.full((LONG + 7,), rest, dtype=torch.float16)
    assert is_finite(values) and is_finite(values.view(1, -1, 1).expand(2, -1, 1))
    for bad in BAD:
        values[place] = bad
        assert not is_finite(values)


@pytest.mark.parametrize("dtype", REAL)
def test_large_values_whose_sum_overflows_are_finite(dtype: torch.dtype) -> None:
    assert is_finite(torch.full((1000,), torch.finfo(dtype).max, dtype=dtype))
    assert is_finite(torch.full((1000,), torch.finfo(dtype).min, dtype=dtype))


def test_infinities_of_both_signs_do_not_cancel() -> None:
    assert not is_finite(torch.tensor([float("inf"), float("-inf")]))


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128, torch.float8_e5m2])
def test_complex_and_eight_bit_values_are_looked_at_too(dtype: torch.dtype) -> None:
    assert is_finite(torch.ones(9).to(dtype))
    assert not is_finite(torch.tensor([1.0, float("inf")]).to(dtype))
    assert not is_finite(torch.tensor([1.0, float("nan")]).to(dtype).conj())


@pytest.mark.parametrize(
    "tensor", [torch.ones(3, dtype=torch.int64), torch.tensor(True), torch.empty(0), torch.empty(0).half()]
)
def test_what_cannot_be_bad_is_finite(tensor: torch.Tensor) -> None:
    assert is_finite(tensor)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_one_bad_element_anywhere_is_seen(dtype):
    for size in (1, 7, 1000):
        for bad in (float("nan"), float("inf"), float("-inf")):
            for place in {0, size // 2, size - 1}:
                values = torch.randn(size).to(dtype)
                assert is_finite(values)
                values[place] = bad
                assert not is_finite(values)


def test_finite_values_with_an_infinite_sum_are_finite():
    assert is_finite(torch.full((10,), 1e38)) and is_finite(torch.ones(100_000, dtype=torch.float16))
    both = torch.tensor([float("inf"), float("-inf"), float("nan"), 1.0])
    assert not is_finite(both) and bad_counts(both) == (1, 2)
    assert is_finite(torch.tensor([])) and is_finite(torch.tensor([1, 2])) and is_finite(torch.tensor([True]))

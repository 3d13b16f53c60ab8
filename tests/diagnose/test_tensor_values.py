"""`diagnose.debug_tensor`: a tensor in one line, returned as it is."""

import math

import pytest
import torch

import diagnose
from diagnose.tensor_values import tensor_values

INF, NAN = math.inf, math.nan


def printed(capsys, name, value):
    assert diagnose.debug_tensor(name, value) is value
    return capsys.readouterr().out.splitlines()


def test_shape_type_device_range_mean_std_and_counts_in_one_line(capsys):
    (said,) = printed(capsys, "encoder", torch.tensor([[1.0, 2.0], [3.0, 6.0]]))
    assert said == (
        "[DEBUG] encoder: shape [2, 2], float32, cpu, min 1, max 6, mean 3, std 1.871, NaN 0, Inf 0"
    )  # fmt: skip


def test_what_is_not_finite_is_counted_and_told_and_the_range_is_of_the_rest(capsys):
    (said,) = printed(capsys, "x", torch.tensor([NAN, 1.0, INF, -INF], dtype=torch.float16))
    assert said == "[DEBUG] x: shape [4], float16, cpu, min 1, max 1, mean 1, std 0, NaN 1, Inf 2  NaN!"
    (said,) = printed(capsys, "x", torch.tensor([INF]))
    assert said == "[DEBUG] x: shape [1], float32, cpu, no finite value, NaN 0, Inf 1  Inf!"


TYPES = [torch.int64, torch.bool, torch.uint8, torch.bfloat16, torch.float64, torch.complex64]


@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_has_numbers(dtype):
    values = tensor_values("x", torch.tensor([0, 1, 1, 1]).to(dtype))
    assert (values.minimum, values.maximum, values.mean) == (0, 1, 0.75)
    assert values.std == pytest.approx(0.433, abs=1e-3)


def test_large_finite_values_do_not_overflow_in_their_own_type():
    values = tensor_values("x", torch.full((4,), 60000.0, dtype=torch.float16))
    assert (values.mean, values.std, values.infinite) == (60000, 0, 0)


def test_none_containers_and_other_values(capsys):
    assert printed(capsys, "mask", None) == ["[DEBUG] mask: None"]
    said = printed(capsys, "batch", {"ids": torch.arange(2), "rest": [None, 3], "none": ()})
    assert [one.partition(": ")[0] for one in said] == [
        "[DEBUG] batch['ids']", "[DEBUG] batch['rest'][0]", "[DEBUG] batch['rest'][1]", "[DEBUG] batch['none']"
    ]  # fmt: skip
    assert printed(capsys, "x", torch.zeros(0, 3))[0].startswith("[DEBUG] x: shape [0, 3], float32, cpu, no finite")
    assert "meta" in printed(capsys, "x", torch.zeros(2, device="meta"))[0]


def test_the_graph_is_not_touched():
    x = torch.ones(2, requires_grad=True)
    (diagnose.debug_tensor("x", x * 3)).sum().backward()
    assert x.grad.tolist() == [3, 3]

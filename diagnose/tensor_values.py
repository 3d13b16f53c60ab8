"""A tensor in numbers: for the report, and `diagnose.debug_tensor` for a person's own forward."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True)
class TensorValues:
    """Range, mean and standard deviation are those of the finite elements; None where there is none."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    device: str
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    std: float | None = None
    nan: int = 0
    infinite: int = 0

    @property
    def span(self) -> str:
        """Range, mean, standard deviation and the counts of NaN and Inf."""
        counts = f"NaN {self.nan}, Inf {self.infinite}"
        if self.minimum is None:
            return f"no finite value, {counts}"
        return f"min {self.minimum:.4g}, max {self.maximum:.4g}, mean {self.mean:.4g}, std {self.std:.4g}, {counts}"

    def __str__(self) -> str:
        warning = "  NaN!" if self.nan else "  Inf!" if self.infinite else ""
        return f"{self.name}: shape {list(self.shape)}, {self.dtype}, {self.device}, {self.span}{warning}"


def tensor_values(name: str, tensor: Any) -> TensorValues:
    """The numbers of any torch tensor; the tensor is only read."""
    dtype = str(tensor.dtype).removeprefix("torch.")
    known = TensorValues(name, tuple(tensor.shape), dtype, str(tensor.device))
    if tensor.device.type == "meta" or not tensor.numel():
        return known
    values = tensor.detach()
    values = values.abs() if values.is_complex() else values
    values = values if values.is_floating_point() and values.element_size() > 2 else values.double()
    finite = values.isfinite()
    nan, kept = int(values.isnan().sum()), values[finite].double()
    infinite = int(finite.numel() - finite.sum()) - nan
    known = replace(known, nan=nan, infinite=infinite)
    if not kept.numel():
        return known
    low, high, mean, std = map(float, (kept.min(), kept.max(), kept.mean(), kept.std(correction=0)))
    return replace(known, minimum=low, maximum=high, mean=mean, std=std)


def debug_tensor(name: str, tensor: Value) -> Value:
    """Prints shape, dtype, device, range, mean, std and counts of NaN and Inf, and returns the tensor as it is.

        x = diagnose.debug_tensor("encoder", self.encoder(x))

    None is printed as None; a dict, list or tuple is printed part by part.
    """
    for line in _lines(name, tensor):
        print(f"[DEBUG] {line}", flush=True)
    return tensor


def _lines(name: str, value: Any) -> list[str]:
    if hasattr(value, "dtype") and hasattr(value, "detach"):
        return [str(tensor_values(name, value))]
    if isinstance(value, Mapping):
        return [line for key, part in value.items() for line in _lines(f"{name}[{key!r}]", part)] or [f"{name}: {{}}"]
    if isinstance(value, list | tuple):
        parts = [line for number, part in enumerate(value) for line in _lines(f"{name}[{number}]", part)]
        return parts or [f"{name}: empty {type(value).__name__}"]
    return [f"{name}: {value!r}"]

"""The cause of an infinite or NaN value, from the operation's name and its inputs."""

from math import inf

from probes.facts.core.types import TensorSummary

LOGARITHMS = ("log", "log2", "log10", "log1p", "special_xlog1py", "xlogy", "logit")
DIVISIONS = ("div", "reciprocal", "true_divide", "remainder", "fmod", "_foreach_div")
ROOTS = ("sqrt", "rsqrt", "pow", "linalg_vector_norm", "norm")
SOFTMAXES = ("_softmax", "_log_softmax", "_safe_softmax", "logsumexp", "softmax")
ROOT_NODES = ("Sqrt", "Rsqrt", "Pow", "Norm", "Cdist", "Std", "LinalgVectorNorm", "Angle", "Acos", "Asin")
LARGE = 1e4  # far below what any format holds, far above what a division by nought needs to be told from an overflow


def cause_of(phase: str, operation: str, node: str, values: tuple[TensorSummary, ...]) -> str:
    """One of the causes that have a playbook of their own; `arithmetic` where none of them fits."""
    if phase in ("data", "weights", "update"):
        return phase
    into = [value for value in values if value.role == "input"]
    operation = operation.removesuffix("_")  # in place
    if operation.startswith("nll_loss") or (operation == "mean" and any(0 in value.shape for value in into)):
        return "nothing scored"
    if "ctc_loss" in operation:
        return "ctc target too long"
    if operation in SOFTMAXES or "attention" in operation:
        return "fully masked"
    if operation in LOGARITHMS:
        return "log of zero"
    if phase == "backward pass" and node.startswith(ROOT_NODES):
        return "root at zero"
    if phase == "backward pass" and node.startswith(("Log", "Xlogy")):
        return "log of zero"
    if operation in ROOTS and _lowest(into) <= 0 and _highest(into) < LARGE:
        return "root at zero"
    if operation in DIVISIONS and _touches_zero(into[-1:]):
        return "division by zero"
    products = operation.endswith("mm") or "conv" in operation  # their sums may turn Inf - Inf into NaN within
    return "overflow" if values[-1].infinite or products else "arithmetic"


def _lowest(values: list[TensorSummary]) -> float:
    return min((value.minimum for value in values if value.minimum is not None), default=inf)


def _highest(values: list[TensorSummary]) -> float:
    return max((value.maximum for value in values if value.maximum is not None), default=-inf)


def _touches_zero(values: list[TensorSummary]) -> bool:
    return any(v.minimum is not None and v.maximum is not None and v.minimum <= 0 <= v.maximum for v in values)

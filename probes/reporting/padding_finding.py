"""What the probes of padding share: the norm over time, the missing mask, and how the change of the scores is told."""

from probes.facts.padding.types import PaddingEffect

OVER_TIME = ("GroupNorm", "BatchNorm", "InstanceNorm")


def is_norm_over_time(effect: PaddingEffect) -> bool:
    """The first module whose output differs is a norm that averages over time, padding included."""
    return any(name in effect.kind for name in OVER_TIME)


def mask_is_missing(effect: PaddingEffect) -> bool:
    """The batch lacks a mask that forward takes; with a norm over time only where adding it restores the scores."""
    restores = effect.masked_change is not None and effect.masked_change <= effect.rounding
    return not effect.masks and bool(effect.accepted_masks) and (restores or not is_norm_over_time(effect))


def describe_change(effect: PaddingEffect) -> str:
    """The row, and by how much its scores change."""
    return (
        f"a row of {effect.lengths[0]} padded to {effect.lengths[1]} has other scores than alone, by "
        f"{effect.score_change:.2g} of their spread, expected below 0.0001"
    )

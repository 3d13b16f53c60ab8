"""The same row alone and padded."""

from diagnose.common.provider import provider
from diagnose.engine.context import Unavailable
from probes.facts.collation.types import CollatedSample
from probes.facts.core.step_setup import StepSetup
from probes.facts.padding.types import PaddingEffect


@provider
def padding_effect(step_setup: StepSetup, collated_sample: CollatedSample) -> PaddingEffect:
    """The shortest of the collated items alone, and the same beside the longest."""
    from probes.facts.padding.compare import compare

    try:
        return compare(step_setup, collated_sample)
    except (RuntimeError, ValueError, IndexError) as reason:
        raise Unavailable(f"a batch of one or two rows raised {type(reason).__name__}: {reason}") from reason

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts, first_labels, with_target_rows
from probes.faults.kit.model_parts import decoder_of


def _positions(facts: Facts) -> int:
    """Rows of the decoder's table of positions."""
    for name, module in decoder_of(facts).named_modules():
        if "position" in name and getattr(module, "weight", None) is not None and module.weight.dim() == 2:
            return len(module.weight)
    raise NotApplicable("its decoder has no table of positions that labels could outgrow")


@fault(
    "labels are longer than the decoder's table of positions",
    "LAB017",
    lambda facts: first_labels(facts).shape[1] > _positions(facts),
    ("whisper", "e2e"),
)
def labels_beyond_positions(facts: Facts) -> Facts:
    more = _positions(facts)
    return with_target_rows(facts, lambda ids: [*ids[:-1], *ids[-2:-1] * more, ids[-1]])

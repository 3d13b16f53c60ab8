from diagnose import fault
from probes.faults.kit.argument_changes import argument_is, with_arguments
from probes.faults.kit.changes import Facts, encoder_of

FRONT = ("conv1", "conv2", "embed_positions", "feature_extractor", "feature_projection", "encoder.pos_conv_embed")


@fault(
    "reentrant checkpointing behind a frozen front end",
    "CFG010",
    argument_is("gradient_checkpointing", True),
    ("whisper", "e2e"),
)
def checkpointing_behind_frozen_front(facts: Facts) -> Facts:
    encoder = encoder_of(facts)
    for name, weight in encoder.named_parameters():
        if name.startswith((*FRONT, "masked_spec_embed")):
            weight.requires_grad_(False)
    if hasattr(encoder, "freeze_feature_encoder"):
        encoder.freeze_feature_encoder()
    options = {"use_reentrant": True}
    return with_arguments(facts, gradient_checkpointing=True, gradient_checkpointing_kwargs=options)

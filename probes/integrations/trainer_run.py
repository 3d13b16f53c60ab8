"""A transformers Trainer that has begun to train: which one it is, and what its receipt covers."""

import sys
from typing import Any

from diagnose.common.errors import InputError
from probes.integrations.run_digests import digest_inputs_of


def trainer_of(callback: Any) -> Any:
    """The Trainer that is calling this callback: transformers passes everything but the Trainer itself."""
    frame: Any = sys._getframe()
    while frame is not None:
        found = frame.f_locals.get("self")
        if callback in getattr(getattr(found, "callback_handler", None), "callbacks", ()):
            return found
        frame = frame.f_back
    raise InputError("PreflightCallback found no Trainer: pass it in Trainer(callbacks=[PreflightCallback()])")


def facts_of_trainer(trainer: Any) -> dict[str, Any]:
    """The Trainer gives all facts; the receipt is written into its output folder."""
    settings, sets = trainer.args.to_dict(), (trainer.train_dataset, trainer.eval_dataset)
    inputs = digest_inputs_of(trainer.args.output_dir, trainer.model, *sets, training_arguments=settings)
    return {"trainer": trainer, "digest_inputs": inputs}

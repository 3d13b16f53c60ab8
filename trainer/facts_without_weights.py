"""Facts of a run for predicting its memory: no weights are read, nothing is decoded, the network is not used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainer.data.manifest import read_rows
from trainer.facts.config_facts import config_values
from trainer.models.bare import bare_model, unfreezes_in_run
from trainer.models.bare_batches import bare_batch, row_lengths

if TYPE_CHECKING:
    from trainer.config import Config, Resolved


def facts_without_weights(resolved: Resolved) -> dict[str, Any]:
    """The configuration alone where it describes a small model on data that is there; else sizes and shapes."""
    config = resolved.config
    path = config.splits / "train.csv"
    if config.model.random is not None and path.exists():
        return {"config": resolved}
    model = bare_model(config)
    lengths, assumed = row_lengths(config)
    remarks = [assumed]
    if unfreezes_in_run(config):
        remarks.append(f"the encoder trains: it is unfrozen after epoch {config.training.freeze_encoder_epochs}")
    if config.training.optim == "adamw_bnb_8bit":
        remarks.append("the state of adamw_bnb_8bit was predicted as that of AdamW, four times as large")
    labels = "toks" if config.model.type == "hybrid" else "labels"
    facts = {
        "model": model,
        "train_batches": [bare_batch(config, model, length) for length in lengths],
        "labels_of": lambda batch: batch[labels],
        "optimizer": _optimizer(model, config),
        "config_values": config_values.function(resolved),
        "memory_remarks": tuple(remarks),
        "configured_device_memory": config.training.device_memory or "",
    }
    return facts | ({"configured_rows": len(read_rows(path))} if path.exists() else {})


def _optimizer(model: Any, config: Config) -> Any:
    """Adafactor, or AdamW as transformers makes it: fused, which torch refuses for parameters without values."""
    import torch
    from transformers.optimization import Adafactor

    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if config.training.optim == "adafactor":
        return Adafactor(trained, scale_parameter=False, relative_step=False, lr=config.training.learning_rate)
    optimizer = torch.optim.AdamW(trained)
    for group in optimizer.param_groups:
        group["fused"] = True
    return optimizer

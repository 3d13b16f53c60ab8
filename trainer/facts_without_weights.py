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
    if config.model.random is not None and (config.splits / "train.csv").exists():
        return {"config": resolved}
    return sizes_and_shapes(resolved)


def sizes_and_shapes(resolved: Resolved) -> dict[str, Any]:
    """The model on the meta device and batches with the lengths of the rows."""
    config = resolved.config
    path = config.splits / "train.csv"
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
        "flops_per_second": matrix_product_speed(),
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


def matrix_product_speed(size: int = 768, times: int = 3) -> float:
    """Operations a second of this machine, in its fastest of a few products of float32 matrices."""
    import time

    import torch

    matrix, seconds = torch.ones(size, size), []
    for _ in range(times + 1):  # the first one starts threads
        start = time.perf_counter()
        matrix @ matrix
        seconds.append(time.perf_counter() - start)
    return 2.0 * size**3 / min(seconds[1:])

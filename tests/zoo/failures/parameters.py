"""Section 5: what is frozen, and what never gets a gradient."""

from __future__ import annotations

from typing import Any

import torch
import transformers as hf
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader

from tests.zoo.failures._models import bands, heard, t5, t5_tokenizer, translated, wav2vec2, wav2vec2_processor
from tests.zoo.failures.cases import failure
from tests.zoo.failures.corpora import seq2seq_trainer
from tests.zoo.hf_models._sounds import DataCollatorCTCWithPadding
from tests.zoo.registry import Facts
from tests.zoo.trainers.trainer_kit import arguments, reloaded


def commands(model: nn.Module, rate: float = 3e-3, rows: int = 96, **more: Any) -> Facts:
    """An own network over tuples of filter banks and commands."""
    criterion = nn.CrossEntropyLoss()
    facts: Facts = {"model": model, "train_batches": DataLoader(bands(rows), batch_size=8, shuffle=True)}
    facts["compute_loss"] = lambda m, batch: criterion(m(batch[0]), batch[1])
    return facts | {"optimizer": torch.optim.Adam(model.parameters(), rate), **more}


@failure("frz_everything", "PAR001", "GRD003", "LRN002", short=True)
def name_filter_freezes_everything(broken: bool) -> Facts:
    """Parameters without "adapter" in their names are frozen, and none has it."""
    tokenizer = t5_tokenizer()
    model = t5(tokenizer)
    for name, parameter in model.named_parameters():
        parameter.requires_grad = ("adapter" if broken else "decoder") in name
    trainer = seq2seq_trainer(model, tokenizer, translated(tokenizer), learning_rate=5e-3)
    return {"trainer": trainer}


@failure("frz_checkpoint_reentrant", "GRD001", "CFG010", "LRN003")
def frozen_front_and_reentrant_checkpointing(broken: bool) -> Facts:
    """The front end is frozen, and reentrant checkpointing then gives the encoder no gradient."""
    processor = wav2vec2_processor()
    model = wav2vec2(processor.tokenizer)
    model.freeze_feature_encoder()
    for part in (model.wav2vec2.feature_projection, model.wav2vec2.encoder.pos_conv_embed):
        part.requires_grad_(False)
    trainer = hf.Trainer(
        model=model,
        args=arguments(eval_strategy="no", learning_rate=1e-3, gradient_checkpointing=True,
                       gradient_checkpointing_kwargs={"use_reentrant": broken}),
        train_dataset=heard(processor),
        data_collator=DataCollatorCTCWithPadding(processor),
    )  # fmt: skip
    return {"trainer": trainer}


class CheckpointedTagger(nn.Module):
    """A frozen front and two blocks that are computed anew in the backward pass."""

    def __init__(self, reentrant: bool) -> None:
        super().__init__()
        self.front = nn.Linear(40, 32).requires_grad_(False)
        nn.init.orthogonal_(self.front.weight)
        self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(32), nn.Linear(32, 32), nn.GELU()) for _ in range(2))
        self.head, self.reentrant = nn.Linear(32, 4), reentrant

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        hidden = self.front(frames)
        for block in self.blocks:
            hidden = hidden + checkpoint(block, hidden, use_reentrant=self.reentrant)
        return self.head(hidden.mean(1))


@failure("frz_checkpoint_reentrant", "GRD001", "CFG010", "LRN003", short=True)
def own_blocks_with_reentrant_checkpointing(broken: bool) -> Facts:
    """The same in a network of one's own."""
    return commands(CheckpointedTagger(broken))


@failure("frz_new_adapter_frozen", "PAR003", "PAR004", "PAR020", "LRN004")
def new_adapter_in_a_frozen_encoder(broken: bool) -> Facts:
    """The adapter is not in the checkpoint, and freezing the encoder freezes it, too."""
    processor = wav2vec2_processor()
    base = reloaded(wav2vec2(processor.tokenizer)).name_or_path
    config = {"add_adapter": True, "num_adapter_layers": 1, "output_hidden_size": 48, "adapter_stride": 1}
    loading: dict[str, Any] = {"ignore_mismatched_sizes": True, "output_loading_info": True}
    model, info = hf.Wav2Vec2ForCTC.from_pretrained(base, **config, **loading)
    for name, parameter in model.wav2vec2.named_parameters():
        parameter.requires_grad = not broken and "adapter" in name
    trainer = hf.Trainer(
        model=model,
        args=arguments(eval_strategy="no", learning_rate=3e-3),
        train_dataset=heard(processor),
        data_collator=DataCollatorCTCWithPadding(processor),
    )
    return {"trainer": trainer, "missing_keys": sorted(info["missing_keys"])}


class BadlyCheckpointed(CheckpointedTagger):
    """Passes one argument too many to its checkpointed blocks, in training mode only."""

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        hidden = self.front(frames)
        for block in self.blocks:
            extra = (None, False) if self.training and self.reentrant else ()
            hidden = hidden + checkpoint(block, hidden, *extra, use_reentrant=False)
        return self.head(hidden.mean(1))


@failure("frz_whisper_checkpoint_positional", "LOS003", "GRD003", "CFG010", "GRD019")
def checkpointed_block_gets_wrong_arguments(broken: bool) -> Facts:
    """A checkpointed forward in training mode raises a TypeError."""
    return commands(BadlyCheckpointed(broken))

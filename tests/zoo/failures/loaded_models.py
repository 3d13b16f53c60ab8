"""Section 4: weights that loading and resizing change."""

from __future__ import annotations

from typing import Any

import torch
import transformers as hf

from tests.zoo.failures._models import T5, t5, t5_tokenizer, translated
from tests.zoo.failures.cases import failure
from tests.zoo.failures.corpora import seq2seq_trainer
from tests.zoo.registry import Facts
from tests.zoo.trainers.trainer_kit import folder


def mt5(tokenizer: Any) -> Any:
    """mT5 with a head of its own, from a checkpoint."""
    ids = {"vocab_size": len(tokenizer), "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}
    config = hf.MT5Config(**T5 | ids | {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False})
    return hf.MT5ForConditionalGeneration(config)


@failure("tok_mt5_resize_reties_head", "TOK011", "TOK012", "PAR012", "PAR013")
def resizing_ties_the_head(broken: bool) -> Facts:
    """Tokens are added, and resizing ties the head to the embedding again."""
    tokenizer = t5_tokenizer()
    model = mt5(tokenizer)
    head = model.lm_head.weight.detach().clone()
    tokenizer.add_tokens(["<en>", "<fr>"])
    model.resize_token_embeddings(len(tokenizer))
    if not broken:
        grown = torch.cat([head, torch.randn(len(tokenizer) - len(head), head.shape[1])])
        model.lm_head.weight = torch.nn.Parameter(grown[: model.shared.weight.shape[0]].clone())
        model.config.tie_word_embeddings = False
    return {
        "trainer": seq2seq_trainer(model, tokenizer, translated(tokenizer), learning_rate=2e-3),
        "untied": ["lm_head.*"],
    }


@failure("loss_mt5_head_forced_tied", "TOK011")
def head_that_should_be_its_own(broken: bool) -> Facts:
    """The head was meant to be separate and shares its tensor with the embedding."""
    tokenizer = t5_tokenizer()
    model = t5(tokenizer)
    if not broken:
        model.lm_head.weight = torch.nn.Parameter(torch.randn_like(model.shared.weight) * 0.05)
        model.config.tie_word_embeddings = False
    return {
        "trainer": seq2seq_trainer(model, tokenizer, translated(tokenizer), learning_rate=2e-3),
        "untied": ["lm_head.*"],
    }


@failure("tok_t5_embedding_from_head", "PAR007", "TOK012", "PAR003")
def weights_missing_from_the_checkpoint(broken: bool) -> Facts:
    """The checkpoint has no decoder layers; the loader names them and goes on."""
    tokenizer, place = t5_tokenizer(), folder()
    model = t5(tokenizer)
    weights = {k: v for k, v in model.state_dict().items() if not (broken and k.startswith("decoder.block.1."))}
    model.save_pretrained(place, state_dict=weights)
    model, info = hf.T5ForConditionalGeneration.from_pretrained(place, output_loading_info=True)
    trainer = seq2seq_trainer(model, tokenizer, translated(tokenizer), learning_rate=2e-3)
    return {"trainer": trainer, "missing_keys": sorted(info["missing_keys"])}

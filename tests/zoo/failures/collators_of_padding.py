"""Section 3: masks, padding and columns."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from tests.zoo.failures._models import bart, bart_tokenizer, heard, t5, t5_tokenizer, wav2vec2, wav2vec2_processor
from tests.zoo.failures.audio_data import ctc_loop
from tests.zoo.failures.cases import failure
from tests.zoo.failures.corpora import seq2seq_trainer
from tests.zoo.hf_models._sounds import DataCollatorCTCWithPadding
from tests.zoo.hf_models._texts import articles, translations
from tests.zoo.registry import Facts


@failure("coll_no_attention_mask", "LAB020", "LAB023")
def layer_norm_model_without_a_mask(broken: bool) -> Facts:
    """The extractor of a layer-norm checkpoint gives no mask."""
    processor = wav2vec2_processor(return_attention_mask=not broken)
    return ctc_loop(heard(processor), processor)


@failure("coll_no_attention_mask", "LAB020", "LAB022", "LAB023")
def bart_reads_its_padding(broken: bool) -> Facts:
    """An own collator pads the inputs and makes no mask."""
    tokenizer = bart_tokenizer()
    rows = [[torch.tensor(tokenizer(text).input_ids) for text in pair] for pair in articles()]

    def collate(items: list[list[torch.Tensor]]) -> dict[str, torch.Tensor]:
        ids = pad_sequence([a for a, _ in items], batch_first=True, padding_value=tokenizer.pad_token_id)
        labels = pad_sequence([b for _, b in items], batch_first=True, padding_value=-100)
        mask = {} if broken else {"attention_mask": (ids != tokenizer.pad_token_id).long()}
        return {"input_ids": ids, "labels": labels, **mask}

    model = bart(tokenizer)
    batches = DataLoader(rows, batch_size=8, shuffle=True, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return {"model": model, "train_batches": batches, "optimizer": optimizer, "tokenizer": tokenizer}


@failure("coll_groupnorm_padding", "LAB023")
def group_norm_over_padding(broken: bool) -> Facts:
    """A base checkpoint normalizes over time, padding included."""
    processor = wav2vec2_processor()
    norm = {"feat_extract_norm": "group", "do_stable_layer_norm": False} if broken else {}
    return ctc_loop(heard(processor), processor, model=wav2vec2(processor.tokenizer, **norm))


@failure("coll_specaug_short", "LOS015", "LOS017", "LOS003", "CFG010", "GRD019")
def masks_longer_than_the_clips(broken: bool) -> Facts:
    """SpecAugment masks ten frames; a batch of short clips has fewer."""
    processor = wav2vec2_processor()
    rows = heard(processor)
    for row in rows:
        if broken and len(row["labels"]) < 16:
            row["input_values"], row["labels"] = row["input_values"][:2600], row["labels"][:2]
    model = wav2vec2(processor.tokenizer, mask_time_prob=0.3, mask_time_length=10)
    batches = DataLoader(rows, batch_size=4, shuffle=True, collate_fn=DataCollatorCTCWithPadding(processor))
    return {"model": model, "train_batches": batches, "optimizer": torch.optim.AdamW(model.parameters(), lr=1e-3)}


@failure("trn_columns_removed", "CFG002", "DAT003", short=True)
def collator_needs_a_removed_column(broken: bool) -> Facts:
    """The collator tokenizes texts, which the Trainer has removed."""
    tokenizer = t5_tokenizer()
    from datasets import Dataset

    rows = Dataset.from_dict(dict(zip(("en", "fr"), map(list, zip(*translations(), strict=True)), strict=True)))

    def collate(items: list[dict[str, str]]) -> Any:
        sources, targets = [item["en"] for item in items], [item["fr"] for item in items]
        batch = tokenizer(sources, text_target=targets, padding=True, return_tensors="pt")
        batch["labels"][batch["labels"] == 0] = -100
        return batch

    model = t5(tokenizer)
    trainer = seq2seq_trainer(model, tokenizer, rows, None, collate, remove_unused_columns=broken, learning_rate=2e-3)
    return {"trainer": trainer}

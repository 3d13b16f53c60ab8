"""Text-to-text models of transformers: translation, headlines, long documents, accents."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np
import sacrebleu
import torch
import transformers as hf
from datasets import Dataset
from torch.nn.utils.rnn import pad_sequence
from torch.optim import AdamW
from torch.utils.data import DataLoader

from tests.zoo.hf_models._sounds import ids_of
from tests.zoo.hf_models._texts import (
    articles,
    byte_pieces,
    metaspace_pieces,
    pieces_of,
    sentencepiece_file,
    translations,
    unigram_pieces,
    vocabulary_file,
)
from tests.zoo.registry import Facts, dataset_facts, setup

SIZES = {"d_model": 48, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "encoder_ffn_dim": 96}
SIZES |= {"decoder_attention_heads": 4, "decoder_ffn_dim": 96, "max_position_embeddings": 128}
T5_SIZES = {"d_model": 48, "d_kv": 12, "d_ff": 96, "num_layers": 2, "num_heads": 4}


def both_sides(pairs: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """All texts of a corpus, for a tokenizer that reads and writes."""
    return tuple(text for pair in pairs for text in pair)


def encoded(tokenizer: Any, pairs: tuple[tuple[str, str], ...], prefix: str = "") -> Dataset:
    """As `dataset.map(preprocess_function, batched=True, remove_columns=…)` leaves it."""
    table = Dataset.from_dict({"source": [a for a, _ in pairs], "target": [b for _, b in pairs]})

    def preprocess(rows: dict[str, list[str]]) -> Any:
        sources = [prefix + text for text in rows["source"]]
        return tokenizer(sources, text_target=rows["target"], max_length=120, truncation=True)

    return table.map(preprocess, batched=True, remove_columns=["source", "target"])


def bleu(tokenizer: Any) -> Callable[[np.ndarray, np.ndarray], dict[str, float]]:
    """The compute_metrics of run_translation.py."""

    def compute_metrics(predictions: np.ndarray, labels: np.ndarray) -> dict[str, float]:
        texts = [
            tokenizer.batch_decode(np.where(ids == -100, tokenizer.pad_token_id, ids), skip_special_tokens=True)
            for ids in (predictions, labels)
        ]
        return {"bleu": sacrebleu.corpus_bleu(texts[0], [texts[1]]).score}

    return compute_metrics


@setup
def marian_translation() -> Facts:
    """Marian from English to French; its padding begins each sentence."""
    texts = both_sides(translations())
    spm = sentencepiece_file(texts)
    tokens = ["</s>", "<unk>", *[piece for piece in pieces_of(spm) if piece[0] != "<"], "<pad>"]
    tokenizer = hf.MarianTokenizer(spm, spm, vocabulary_file(tokens, "marian.json"))
    config = hf.MarianConfig(**SIZES, **ids_of(tokenizer), decoder_start_token_id=tokenizer.pad_token_id)
    model = hf.MarianMTModel(config)
    dataset = encoded(tokenizer, translations())
    collate = hf.DataCollatorForSeq2Seq(tokenizer, model=model)
    return dataset_facts(model, dataset, collate, 8, 1e-3) | {
        "tokenizer": tokenizer,
        "compute_metrics": bleu(tokenizer),
    }


@setup
def bart_headlines() -> Facts:
    """BART writes a headline for a report."""
    specials = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
    tokenizer = hf.BartTokenizer(*byte_pieces(both_sides(articles()), specials))
    model = hf.BartForConditionalGeneration(hf.BartConfig(**SIZES, **ids_of(tokenizer), forced_bos_token_id=0))
    dataset = encoded(tokenizer, articles())
    collate = hf.DataCollatorForSeq2Seq(tokenizer, model=model, pad_to_multiple_of=8)
    optimizer = AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    return {
        "model": model,
        "tokenizer": tokenizer,
        "train_batches": DataLoader(dataset, batch_size=8, shuffle=True, collate_fn=collate),
        "optimizer": optimizer,
        "scheduler": hf.get_linear_schedule_with_warmup(optimizer, 6, 120),
        "total_steps": 120,
    }


@setup
def pegasus_headlines() -> Facts:
    """Pegasus with Adafactor, and the three facts that everybody has."""
    specials = ("<pad>", "</s>", "<mask_1>", "<mask_2>", "<unk>")
    pieces = unigram_pieces(both_sides(articles()), specials)
    tokenizer = hf.PegasusTokenizer(pieces, offset=5)
    config = hf.PegasusConfig(**SIZES, **ids_of(tokenizer), decoder_start_token_id=0, forced_eos_token_id=1)
    model = hf.PegasusForConditionalGeneration(config)
    collate = hf.DataCollatorForSeq2Seq(tokenizer, model=model)
    batches = DataLoader(encoded(tokenizer, articles()), batch_size=8, shuffle=True, collate_fn=collate)
    options = {"relative_step": False, "scale_parameter": False, "warmup_init": False}
    optimizer = hf.Adafactor(model.parameters(), lr=1e-3, **options)
    return {"model": model, "train_batches": batches, "optimizer": optimizer}


@setup
def led_long_documents() -> Facts:
    """LED reads several reports at once through windows of 16, with global attention on the first token."""
    pairs = articles()
    joined = tuple((" ".join(text for text, _ in pairs[n : n + 3]), pairs[n][1]) for n in range(len(pairs) - 2))
    tokenizer = hf.LEDTokenizer(*byte_pieces(both_sides(pairs), ("<s>", "<pad>", "</s>", "<unk>", "<mask>")))
    sizes = {key: size for key, size in SIZES.items() if key != "max_position_embeddings"}
    lengths = {"max_encoder_position_embeddings": 256, "max_decoder_position_embeddings": 64, "attention_window": 16}
    model = hf.LEDForConditionalGeneration(hf.LEDConfig(**sizes, **lengths, **ids_of(tokenizer)))

    def collate(rows: list[tuple[str, str]]) -> dict[str, torch.Tensor]:
        batch = tokenizer([a for a, _ in rows], padding=True, truncation=True, max_length=160, return_tensors="pt")
        batch["global_attention_mask"] = torch.zeros_like(batch["input_ids"])
        batch["global_attention_mask"][:, 0] = 1
        labels = [torch.tensor(tokenizer(headline).input_ids) for _, headline in rows]
        batch["labels"] = pad_sequence(labels, batch_first=True, padding_value=-100)
        return batch

    batches = DataLoader(joined, batch_size=4, shuffle=True, collate_fn=collate)
    optimizer = AdamW(model.parameters(), lr=1e-3)
    return {"model": model, "tokenizer": tokenizer, "train_batches": batches, "optimizer": optimizer}


@setup
def t5_v1_1_translation() -> Facts:
    """T5 v1.1: a gated feed-forward layer, an output layer of its own, and a prefix that names the task."""
    prefix = "translate English to French: "
    texts = both_sides(translations())
    tokenizer = hf.T5Tokenizer(unigram_pieces((*texts, prefix), ("<pad>", "</s>", "<unk>")))
    kind = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False, "dropout_rate": 0.0}
    model = hf.T5ForConditionalGeneration(
        hf.T5Config(**T5_SIZES, **kind, **ids_of(tokenizer), decoder_start_token_id=0)
    )
    dataset = encoded(tokenizer, translations(), prefix)
    collate = hf.DataCollatorForSeq2Seq(tokenizer, model=model)
    optimizer = AdamW(model.parameters(), lr=2e-3)
    return {
        "model": model,
        "tokenizer": tokenizer,
        "train_dataset": dataset,
        "collate": collate,
        "train_batches": DataLoader(dataset, batch_size=8, shuffle=True, collate_fn=collate),
        "optimizer": optimizer,
        "scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 200),
        "total_steps": 200,
    }


@setup
def byt5_accents() -> Facts:
    """ByT5 puts the accents back into French: source and target are nearly the same text."""
    french = [text for _, text in translations()]
    plain = [unicodedata.normalize("NFD", text).encode("ascii", "ignore").decode() for text in french]
    tokenizer = hf.ByT5Tokenizer(extra_ids=0)
    config = hf.T5Config(**T5_SIZES, **ids_of(tokenizer), feed_forward_proj="gated-gelu", decoder_start_token_id=0)
    model = hf.T5ForConditionalGeneration(config)
    dataset = encoded(tokenizer, tuple(zip(plain, french, strict=True)))
    batches = DataLoader(dataset, batch_size=8, shuffle=True, collate_fn=hf.DataCollatorForSeq2Seq(tokenizer, model))
    optimizer = AdamW(model.parameters(), lr=2e-3)
    return {"model": model, "train_batches": batches, "optimizer": optimizer, "tokenizer": tokenizer}


@setup
def nllb_translation() -> Facts:
    """NLLB: each side begins with its language and ends with </s>, which begins the decoder's input, too."""
    languages = ["eng_Latn", "fra_Latn"]
    pieces = metaspace_pieces(both_sides(translations()), ("<s>", "<pad>", "</s>", "<unk>"))
    sides = {"src_lang": languages[0], "tgt_lang": languages[1], "extra_special_tokens": languages}
    tokenizer = hf.NllbTokenizer(*pieces, **sides)
    config = hf.M2M100Config(**SIZES, **ids_of(tokenizer), decoder_start_token_id=2, scale_embedding=True)
    model = hf.M2M100ForConditionalGeneration(config)
    model.generation_config.forced_bos_token_id = tokenizer.convert_tokens_to_ids("fra_Latn")
    dataset = encoded(tokenizer, translations())
    collate = hf.DataCollatorForSeq2Seq(tokenizer, model=model)
    return {
        "model": model,
        "tokenizer": tokenizer,
        "train_batches": DataLoader(dataset, batch_size=8, shuffle=True, collate_fn=collate),
        "optimizer": AdamW(model.parameters(), lr=5e-4),
        "compute_metrics": bleu(tokenizer),
    }


@setup
def m2m100_both_ways() -> Facts:
    """M2M100 translates from English to French and back, in the same batches."""
    pairs = translations(40)
    spm = sentencepiece_file(both_sides(pairs))
    vocabulary = vocabulary_file(["<s>", "<pad>", "</s>", "<unk>", *pieces_of(spm)[4:]], "m2m100.json")
    tokenizer = hf.M2M100Tokenizer(vocabulary, spm, src_lang="en", tgt_lang="fr")
    size = max(tokenizer.id_to_lang_token) + 1 + tokenizer.num_madeup_words
    config = hf.M2M100Config(**SIZES, **ids_of(tokenizer) | {"vocab_size": size}, decoder_start_token_id=2)
    model = hf.M2M100ForConditionalGeneration(config)
    rows = []
    for source, target, order in (("en", "fr", 1), ("fr", "en", -1)):
        tokenizer.src_lang, tokenizer.tgt_lang = source, target
        rows += [dict(tokenizer(a, text_target=b)) for a, b in (pair[::order] for pair in pairs)]
    collate = hf.DataCollatorForSeq2Seq(tokenizer, model=model)
    batches = DataLoader(rows, batch_size=8, shuffle=True, collate_fn=collate)
    return {"model": model, "train_batches": batches, "optimizer": AdamW(model.parameters(), lr=5e-4)}

"""Section 9: generation, decoding and metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jiwer
import numpy as np

from tests.zoo.failures._models import heard, t5, t5_tokenizer, translated, whisper, whisper_processor
from tests.zoo.failures.cases import failure
from tests.zoo.failures.corpora import seq2seq_trainer
from tests.zoo.hf_models._sounds import DataCollatorSpeechSeq2SeqWithPadding
from tests.zoo.registry import Facts

Metric = Callable[[Any], dict[str, float]]


def word_errors(tokenizer: Any, ignore: bool = True, change: Callable[[str], str] = str) -> Metric:
    """The word error rate; `change` is applied to the references."""

    def compute_metrics(pred: Any) -> dict[str, float]:
        ids, labels = pred.predictions, pred.label_ids
        if ignore:
            ids, labels = (np.where(values == -100, tokenizer.pad_token_id, values) for values in (ids, labels))
        texts = tokenizer.batch_decode(ids, skip_special_tokens=True)
        references = [change(text) for text in tokenizer.batch_decode(labels, skip_special_tokens=True)]
        return {"wer": 100 * jiwer.wer(references, texts)}

    return compute_metrics


def generating(metric: Metric | None, tokenizer: Any, model: Any, **more: Any) -> Facts:
    """A Seq2SeqTrainer that generates in its evaluation."""
    rows = translated(tokenizer)
    options = {"predict_with_generate": True, "learning_rate": 2e-3, "generation_max_length": 64} | more
    trainer = seq2seq_trainer(model, tokenizer, rows.select(range(48)), rows.select(range(48, 64)), **options)
    trainer.compute_metrics = metric
    return {"trainer": trainer}


@failure("gen_default_max_length", "CFG009", "GEN004")
def twenty_tokens_by_default(broken: bool) -> Facts:
    """Nobody set a generation length."""
    tokenizer = t5_tokenizer()
    length = None if broken else 64
    return generating(word_errors(tokenizer), tokenizer, t5(tokenizer), generation_max_length=length)


@failure("gen_minus100_decode", "GEN014", "GEN011", short=True)
def minus_100_is_decoded(broken: bool) -> Facts:
    """compute_metrics decodes labels that are padded with -100."""
    tokenizer = t5_tokenizer()
    return generating(word_errors(tokenizer, ignore=not broken), tokenizer, t5(tokenizer))


@failure("gen_wer_not_normalised", "GEN015", "GEN016", short=True)
def references_in_capitals(broken: bool) -> Facts:
    """References are in capitals without punctuation, hypotheses are not."""
    tokenizer = t5_tokenizer()

    def shout(text: str) -> str:
        return text.upper().strip(".")

    return generating(word_errors(tokenizer, change=shout if broken else str), tokenizer, t5(tokenizer))


@failure("gen_double_sot", "GEN003", "GEN005", "GEN004", "LAB008")
def start_token_in_the_forced_ids(broken: bool) -> Facts:
    """The forced ids begin with the start token, which generate() puts first anyway."""
    processor = whisper_processor()
    model = whisper(processor.tokenizer)
    tokens = ["<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>"]
    ids = processor.tokenizer.convert_tokens_to_ids(tokens)
    model.generation_config.no_timestamps_token_id = ids[3]
    model.generation_config.forced_decoder_ids = [[n + 1, i] for n, i in enumerate(ids if broken else ids[1:])]
    rows, start = heard(processor, "input_features"), model.config.decoder_start_token_id
    collate = DataCollatorSpeechSeq2SeqWithPadding(processor, start, mask=False)
    options = {"predict_with_generate": True, "generation_max_length": 40, "learning_rate": 1e-3}
    return {"trainer": seq2seq_trainer(model, processor, rows[8:], rows[:8], collate, **options)}


@failure("gen_language_of_another_task", "GEN003", "LAB026", "LAB009")
def labels_in_french_and_generation_in_english(broken: bool) -> Facts:
    """The labels begin with one language, generation with another."""
    processor = whisper_processor("fr" if broken else "en")
    model = whisper(processor.tokenizer)
    ids = processor.tokenizer.convert_tokens_to_ids(["<|en|>", "<|transcribe|>", "<|notimestamps|>"])
    model.generation_config.no_timestamps_token_id = ids[2]
    model.generation_config.forced_decoder_ids = [[n + 1, i] for n, i in enumerate(ids)]
    rows, start = heard(processor, "input_features"), model.config.decoder_start_token_id
    collate = DataCollatorSpeechSeq2SeqWithPadding(processor, start, mask=False)
    options = {"predict_with_generate": True, "generation_max_length": 40, "learning_rate": 1e-3}
    return {"trainer": seq2seq_trainer(model, processor, rows[8:], rows[:8], collate, **options)}


@failure("gen_loss_down_wer_up", "GEN005", "GEN004", "GEN010", "GEN002")
def end_of_another_tokenizer(broken: bool) -> Facts:
    """Decoding cuts at a token that generation takes for the end, and the labels hold in their midst."""
    tokenizer = t5_tokenizer()
    model = t5(tokenizer)
    if broken:
        model.generation_config.eos_token_id = tokenizer.convert_tokens_to_ids("▁un")
    return generating(word_errors(tokenizer), tokenizer, model)

"""Tokenizers built from the training texts, of characters or of pieces: the hybrid's own and a small mBART-50."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

import sentencepiece
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import MBart50Tokenizer, PreTrainedTokenizerBase, PreTrainedTokenizerFast

from diagnose.common.errors import InputError
from trainer.collate.labels import normalize_text

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from trainer.config import Config

TASK_TOKENS = {"transcribe": "<2transcribe>", "translate": "<2translate>"}
SPECIALS = ["<pad>", "<s>", "</s>", "<unk>"]
SPACE = "▁"

Pieces = list[tuple[str, float]]


def hybrid_tokenizer(texts: Sequence[str], vocabulary: str | int) -> PreTrainedTokenizerFast:
    """The hybrid's tokenizer; `<pad>` is 0 and serves the CTC part as its blank."""
    specials = [(special, 0.0) for special in [*SPECIALS, *TASK_TOKENS.values()]]
    return PreTrainedTokenizerFast(
        tokenizer_object=_unigram(specials + pieces(texts, vocabulary), SPECIALS.index("<unk>")),
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        extra_special_tokens=list(TASK_TOKENS.values()),
    )


def mbart_tokenizer(texts: Sequence[str], vocabulary: str | int, language: str) -> MBart50Tokenizer:
    """mBART-50's tokenizer over a small vocabulary, with all its language codes and the task tokens."""
    vocab = [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), *pieces(texts, vocabulary)]
    return with_task_tokens(MBart50Tokenizer(vocab=vocab, src_lang=language, tgt_lang=language))


def with_task_tokens(tokenizer: PreTrainedTokenizerBase) -> PreTrainedTokenizerBase:
    """Add `<2transcribe>` and `<2translate>`, keeping the specials that are there."""
    tokenizer.add_special_tokens(
        {"extra_special_tokens": list(TASK_TOKENS.values())}, replace_extra_special_tokens=False
    )
    return tokenizer


def task_ids(tokenizer: PreTrainedTokenizerBase) -> dict[str, int]:
    """The id of each task's token."""
    return {task: tokenizer.convert_tokens_to_ids(token) for task, token in TASK_TOKENS.items()}


def set_generation(model: PreTrainedModel, config: Config) -> None:
    """Language, task and bounds, where generation and a reader of the saved model look for them."""
    settings = model.generation_config
    settings.language, settings.task = config.model.language, config.model.task
    settings.max_length = config.training.generation_max_length
    settings.num_beams = config.training.generation_num_beams
    settings._from_model_config = False  # while it is true, reading the file again drops language and task


def pieces(texts: Sequence[str], vocabulary: str | int) -> Pieces:
    """What the texts are spelled with: their characters, or that many Unigram pieces, each with its score."""
    texts = [normalize_text(text) for text in texts]
    if not any(texts):
        raise InputError(
            "model.random.vocabulary needs training texts to build a tokenizer from, but there is none; "
            "give a train split with transcripts, or name a tokenizer in model.tokenizer."
        )
    characters = sorted(set("".join(texts)) - {" ", SPACE})
    if vocabulary == "characters":
        return [(character, -1.0) for character in [SPACE, *characters]]
    return _trained(texts, int(vocabulary), len(characters) + 1)


def _trained(texts: Sequence[str], size: int, least: int) -> Pieces:
    if size < least:
        raise InputError(
            f"model.random.vocabulary is {size}, but the training texts have {least} different characters; "
            f'set it to at least {least}, or to "characters".'
        )
    # one thread: sums of floats in several differ in the last bits, and the tokenizer with them
    written = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=written,
        vocab_size=size + 3,
        hard_vocab_limit=False,
        character_coverage=1.0,
        add_dummy_prefix=False,
        normalization_rule_name="identity",
        num_threads=1,
        minloglevel=2,
    )
    model = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    ids = [i for i in range(len(model)) if not (model.is_control(i) or model.is_unknown(i))]
    return [(model.id_to_piece(i), model.get_score(i)) for i in ids]


def _unigram(scored: Pieces, unknown: int) -> Tokenizer:
    backend = Tokenizer(models.Unigram(scored, unk_id=unknown, byte_fallback=False))
    backend.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]
    )
    backend.pre_tokenizer = pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="never", split=True)
    backend.decoder = decoders.Metaspace(replacement=SPACE, prepend_scheme="never", split=True)
    return backend

"""Tokenizers built from the training texts, of characters or Unigram pieces: hybrid and mBART-50."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, TypeVar

import sentencepiece
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import MBart50Tokenizer, PreTrainedTokenizerBase, PreTrainedTokenizerFast

from diagnose.common.errors import InputError
from trainer.collate.labels import normalize_text, token_ids

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from trainer.config import Config

TASK_TOKENS = {"transcribe": "<2transcribe>", "translate": "<2translate>"}
SPECIALS = ["<pad>", "<s>", "</s>", "<unk>"]
SPACE = "▁"

Pieces = list[tuple[str, float]]
TokenizerT = TypeVar("TokenizerT", bound=PreTrainedTokenizerBase)


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


def with_task_tokens(tokenizer: TokenizerT) -> TokenizerT:
    """Add `<2transcribe>` and `<2translate>` to the special tokens."""
    tokenizer.add_special_tokens(
        {"extra_special_tokens": list(TASK_TOKENS.values())}, replace_extra_special_tokens=False
    )
    return tokenizer


def task_ids(tokenizer: PreTrainedTokenizerBase) -> dict[str, int]:
    """The id of each task's token."""
    return dict(zip(TASK_TOKENS, token_ids(tokenizer, TASK_TOKENS.values()), strict=True))


def set_generation(model: PreTrainedModel, config: Config) -> None:
    """Set language, task and limits in the generation config, which is saved with the model."""
    settings = {
        "language": config.model.language,
        "task": config.model.task,
        "max_length": config.training.generation_max_length,
        "num_beams": config.training.generation_num_beams,
        "_from_model_config": False,  # while it is true, reading the file again drops language and task
    }
    for name, value in settings.items():
        setattr(model.generation_config, name, value)


def pieces(texts: Sequence[str], vocabulary: str | int) -> Pieces:
    """The vocabulary of the texts: their characters, or that many Unigram pieces, each with its score."""
    texts = [normalize_text(text) for text in texts]
    if not any(texts):
        raise InputError(
            "model.random.vocabulary needs training texts to train a tokenizer, but there are none; use a train "
            "split with transcripts, or set model.tokenizer."
        )
    characters = sorted(set("".join(texts)) - {" ", SPACE})
    if vocabulary == "characters":
        return [(character, -1.0) for character in [SPACE, *characters]]
    return _train_unigram(texts, int(vocabulary), len(characters) + 1)


def _train_unigram(texts: Sequence[str], size: int, least: int) -> Pieces:
    if size < least:
        raise InputError(
            f"model.random.vocabulary is {size}, but the training texts have {least} different characters; "
            f'set it to at least {least}, or to "characters".'
        )
    # one thread: sums of floats in several differ in the last bits, and the tokenizer with them
    buffer = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=buffer,
        vocab_size=size + 3,
        hard_vocab_limit=False,
        character_coverage=1.0,
        add_dummy_prefix=False,
        normalization_rule_name="identity",
        num_threads=1,
        minloglevel=2,
    )
    model = sentencepiece.SentencePieceProcessor(model_proto=buffer.getvalue())
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

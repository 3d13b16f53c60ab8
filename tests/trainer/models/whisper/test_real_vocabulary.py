"""Whisper's batches with the vocabulary of the released models, rebuilt from the file openai-whisper carries."""

import base64
import importlib.util
import unicodedata
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import pre_tokenizers
from transformers import WhisperFeatureExtractor

from tests.support.speech_batches import LETTERS, item
from tests.support.whisper_batches import WhisperBatches
from trainer.collate.labels import normalize_text, text_ids
from trainer.collate.whisper import WhisperCollator, prompt_ids
from trainer.models.tokenizers.whisper_and_t5 import whisper_tokenizer


def ranked_pieces() -> dict[bytes, int]:
    """Each piece, as bytes, with its rank; the package itself is not imported, it would want its dependencies."""
    folder = importlib.util.find_spec("whisper").submodule_search_locations[0]
    lines = (Path(folder) / "assets" / "multilingual.tiktoken").read_text(encoding="ascii").splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines)
    return {base64.b64decode("" if piece == "=" else piece): int(rank) for piece, rank in pairs}


def parents(piece: bytes, ranks: dict[bytes, int]) -> tuple[bytes, bytes]:
    """The two pieces it was merged from: what byte pairs make of it with the earlier merges alone."""
    parts = [bytes([byte]) for byte in piece]
    while len(parts) > 2:
        pairs = [ranks.get(a + b, len(ranks)) for a, b in pairwise(parts)]
        best = min(range(len(pairs)), key=pairs.__getitem__)
        parts[best : best + 2] = [parts[best] + parts[best + 1]]
    return parts[0], parts[1]


@cache
def real_tokenizer():
    level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    signs = dict(zip(byte_order(), sorted(level.alphabet(), key=ord), strict=True))

    def spelled(piece: bytes) -> str:
        return "".join(signs[byte] for byte in piece)

    ranks = ranked_pieces()
    merged = [piece for piece in ranks if len(piece) > 1]
    merges = [tuple(map(spelled, parents(piece, ranks))) for piece in sorted(merged, key=ranks.get)]
    return whisper_tokenizer({spelled(piece): rank for piece, rank in ranks.items()}, merges, timestamps=True), merges


def byte_order() -> list[int]:
    """Bytes in the order of the signs that stand for them: printable ones as they are, then the others."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return printable + [byte for byte in range(256) if byte not in printable]


vietnamese = st.lists(st.text(LETTERS + LETTERS.upper(), min_size=1, max_size=7), max_size=6).map(" ".join)
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=20).filter(lambda text: "<|" not in text)
forms = st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"])
texts = st.tuples(forms, vietnamese | anything).map(lambda pair: unicodedata.normalize(*pair))


class TestRealVocabulary(WhisperBatches):
    collate = WhisperCollator(WhisperFeatureExtractor(chunk_length=1), real_tokenizer()[0], "both", cmvn=True)
    batches = st.lists(st.builds(item, st.integers(1, 3000), texts, texts), min_size=1, max_size=3)


def test_it_is_the_vocabulary_of_the_released_models() -> None:
    tokenizer, merges = real_tokenizer()
    assert len(merges) == 50_000 and len(tokenizer) == 51_865
    named = {"<|endoftext|>": 50257, "<|startoftranscript|>": 50258, "<|en|>": 50259, "<|vi|>": 50278}
    named |= {"<|translate|>": 50358, "<|transcribe|>": 50359, "<|notimestamps|>": 50363, "<|0.00|>": 50364}
    assert {token: tokenizer.convert_tokens_to_ids(token) for token in named} == named
    assert tokenizer.convert_tokens_to_ids("<|30.00|>") == 51864
    # as OpenAI's own encoder splits it
    assert tokenizer("Hello world!", add_special_tokens=False).input_ids == [15947, 1002, 0]
    assert prompt_ids(tokenizer, "vi", "translate") == [50278, 50358, 50363]


def test_the_tokenizer_itself_agrees_with_our_prompt() -> None:
    tokenizer = real_tokenizer()[0]
    tokenizer.set_prefix_tokens(language="vi", task="transcribe")
    assert tokenizer.prefix_tokens[1:] == prompt_ids(tokenizer, "vi", "transcribe")


@given(texts)
@settings(max_examples=300, deadline=None)
def test_any_text_comes_back_as_it_went_in(text: str) -> None:
    tokenizer = real_tokenizer()[0]
    assert tokenizer.decode(text_ids(tokenizer, text)) == normalize_text(text)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_both_forms_of_vietnamese_are_the_same_labels(form: str) -> None:
    text = "Hà Nội công bố kết quả, deadline của team mình là thứ bảy"
    tokenizer = real_tokenizer()[0]
    assert text_ids(tokenizer, unicodedata.normalize(form, text)) == text_ids(tokenizer, text)

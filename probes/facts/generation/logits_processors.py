"""Runs the labels through the logits processors: which of them makes a label impossible?"""

from collections.abc import Sequence
from typing import Any

import torch

from probes.facts.generation.types import ForbiddenLabel

# Which setting stands behind a rule of transformers; of others the class itself is told.
SETTINGS = {
    "SuppressTokensLogitsProcessor": "suppress_tokens",
    "SuppressTokensAtBeginLogitsProcessor": "begin_suppress_tokens",
    "NoBadWordsLogitsProcessor": "bad_words_ids",
    "NoRepeatNGramLogitsProcessor": "no_repeat_ngram_size",
    "MinLengthLogitsProcessor": "min_length",
    "MinNewTokensLengthLogitsProcessor": "min_new_tokens",
    "ForcedBOSTokenLogitsProcessor": "forced_bos_token_id",
    "PrefixConstrainedLogitsProcessor": "prefix_allowed_tokens_fn",
    "SequenceBiasLogitsProcessor": "sequence_bias",
    "WhisperTimeStampLogitsProcessor": "return_timestamps",
}
NEUTRAL = (
    "LogitNormalization",
    "InfNan",
    "Temperature",
    "Top",
    "MinP",
    "Typical",
    "Epsilon",
    "Eta",
    "Unbatched",
    "Encoder",
    "ForcedEOS",
)
ROW_BOUND = ("PrefixConstrained",)  # asks for the row's number: only the first row's is known
POSITIONS = 64  # of each row: rules look at the beginning and at the end, and the rest is alike
ROWS = 16


def find_forbidden_labels(
    rules: Sequence[Any], rows: Sequence[tuple[str, Sequence[int]]], start: Sequence[int], classes: int, names: Any
) -> tuple[ForbiddenLabel, ...]:
    """One entry for each rule that some row breaks. `start`: the prompt's length of tokens that nobody generates."""
    rows = rows[:ROWS]
    found = []
    for rule in rules:
        kind = type(rule).__name__
        if kind.startswith(NEUTRAL):
            continue
        played = rows[:1] if kind.startswith(ROW_BOUND) else rows
        broken = [hit for where, ids in played if (hit := _broken(rule, where, ids, start, classes)) is not None]
        if broken:
            where, place, token = broken[0]
            setting = SETTINGS.get(kind, "")
            found.append(ForbiddenLabel(where, token, names(token), place, kind, setting, len(broken), len(played)))
    return tuple(found)


def _broken(rule: Any, where: str, ids: Sequence[int], start: Sequence[int], classes: int) -> Any:
    """The first label of the row that the rule makes impossible."""
    read = [start[0], *ids]
    places = [place for place in range(len(start) - 1, len(ids)) if ids[place] < classes]
    if len(places) > POSITIONS:
        places = [*places[: POSITIONS // 2], *places[-POSITIONS // 2 :]]
    for place in places:
        before = torch.tensor([read[: place + 1]])
        try:
            scores = rule(before, torch.zeros(1, classes))
        except Exception:  # a rule that needs more than ids and scores is not played
            return None
        if not float(scores[0, ids[place]]) > float("-inf"):
            return where, place, ids[place]
    return None

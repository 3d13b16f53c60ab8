"""Training against evaluation: the same audio, text, video or speaker on both sides; and rows that come twice."""

import sys
from collections.abc import Mapping
from typing import Any

from diagnose.common.provider import provider
from probes.facts.audio.types import SameSounds
from probes.facts.core.require import has_items, require
from probes.facts.core.step_setup import LabelsOf
from probes.facts.corpus.types import Corpus
from probes.facts.splits.types import DuplicateInputs, GroupColumns, NearDuplicates, RepeatedRows, SharedTexts

ROLES = {
    "video": ("video_id", "video", "recording_id", "recording", "session_id", "source_id", "episode_id", "book_id"),
    "speaker": ("speaker_id", "speaker", "client_id", "spk_id", "reader_id"),
}
FILES = 4000  # files of the same size whose middles are read, unless everything is asked for
NEAR = 0.9  # likeness from which two texts are near: one letter in ten differs


@provider
def duplicate_inputs(
    train_corpus: Corpus,
    eval_corpus: Corpus | None = None,
    data_sample_size: int | str = 0,
    same_sounds: SameSounds | None = None,
) -> DuplicateInputs:
    """Rows with the same audio, or the same document."""
    from probes.facts.splits.duplicate_inputs import find_duplicates

    most = sys.maxsize if data_sample_size == "whole" else FILES
    return find_duplicates(train_corpus.rows, eval_corpus.rows if eval_corpus else (), most, same_sounds)


@provider
def duplicates_across_splits(
    duplicate_inputs: DuplicateInputs | None = None,
    eval_corpus: Corpus | None = None,
    train_dataset: Any = None,
    eval_dataset: Any = None,
) -> DuplicateInputs:
    """The same, where there is an evaluation set; of datasets without files and texts, items that are the same."""
    from probes.facts.splits.duplicate_inputs import has_inputs
    from probes.facts.splits.same_items import find_same_items

    if duplicate_inputs is not None and eval_corpus is not None and has_inputs(eval_corpus.rows):
        return duplicate_inputs
    numbered = has_items(train_dataset, eval_dataset) and not isinstance(eval_dataset, Mapping)
    require(numbered, "there are no two sets of rows or numbered items to compare")
    return find_same_items(train_dataset, eval_dataset)


@provider
def eval_repeats(train_batches: Any, eval_batches: Any, labels_of: LabelsOf) -> RepeatedRows:
    """Rows that an evaluation reads more than once."""
    from probes.facts.splits.eval_repeats import find_repeats

    return find_repeats(train_batches, eval_batches, labels_of)


@provider
def near_duplicates_across_splits(near_duplicate_texts: NearDuplicates, eval_corpus: Corpus) -> NearDuplicates:
    require(near_duplicate_texts.eval_read, "the evaluation set has no texts that are long enough")
    return near_duplicate_texts


@provider
def shared_texts(train_corpus: Corpus, eval_corpus: Corpus) -> SharedTexts:
    """Texts long enough not to repeat by themselves, compared without case and punctuation."""
    from probes.facts.splits.shared_texts import find_shared

    found = find_shared(train_corpus.rows, eval_corpus.rows)
    require(found.eval_rows, "the evaluation set has no texts that are long enough")
    return found


@provider
def near_duplicate_texts(train_corpus: Corpus, eval_corpus: Corpus | None = None) -> NearDuplicates:
    """Near twins in other groups; what training has within itself is what chance gives."""
    from probes.facts.splits.shared_texts import find_near

    found = find_near(train_corpus.rows, eval_corpus.rows if eval_corpus else (), NEAR)
    require(found.train_read, "the rows have no texts that are long enough")
    return found


@provider
def groups(train_corpus: Corpus, eval_corpus: Corpus, group_column: str = "") -> GroupColumns:
    """Columns that say where a row comes from."""
    from probes.facts.splits.shared_groups import shared

    named = {group_column: "video"} if group_column else {}
    named |= {name: role for role, names in ROLES.items() for name in names}
    found = [
        group for name, role in named.items() if (group := shared(name, role, train_corpus.rows, eval_corpus.rows))
    ]
    require(found, "no video or speaker column is filled in both splits")
    return GroupColumns(tuple(found), len(eval_corpus.rows))


@provider
def shared_videos(groups: GroupColumns) -> GroupColumns:
    return _of(groups, "video")


@provider
def shared_speakers(groups: GroupColumns) -> GroupColumns:
    return _of(groups, "speaker")


def _of(groups: GroupColumns, role: str) -> GroupColumns:
    columns = tuple(group for group in groups.columns if group.role == role)
    require(columns, f"no {role} column is filled in both splits")
    return GroupColumns(columns, groups.eval_rows)

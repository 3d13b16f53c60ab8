"""Training against evaluation: the same audio, text, video or speaker on both sides; and rows that come twice."""

import sys

from diagnose.common.provider import provider
from probes.facts.core.require import require
from probes.facts.corpus.types import Corpus
from probes.facts.splits.types import DuplicateInputs, GroupColumns, NearDuplicates, SharedTexts

ROLES = {
    "video": ("video_id", "video", "recording_id", "recording", "session_id", "source_id", "episode_id", "book_id"),
    "speaker": ("speaker_id", "speaker", "client_id", "spk_id", "reader_id"),
}
FILES = 4000  # files of the same size whose middles are read, unless everything is asked for
NEAR = 0.9  # likeness from which two texts are near: one letter in ten differs


@provider
def duplicate_inputs(
    train_corpus: Corpus, eval_corpus: Corpus | None = None, data_sample_size: int | str = 0
) -> DuplicateInputs:
    """Rows with the same audio, or the same document."""
    from probes.facts.splits.duplicate_inputs import find_duplicates

    most = sys.maxsize if data_sample_size == "whole" else FILES
    return find_duplicates(train_corpus.rows, eval_corpus.rows if eval_corpus else (), most)


@provider
def duplicates_across_splits(duplicate_inputs: DuplicateInputs, eval_corpus: Corpus) -> DuplicateInputs:
    """The same, where there is an evaluation set to compare with."""
    return duplicate_inputs


@provider
def near_duplicates_across_splits(near_duplicate_texts: NearDuplicates, eval_corpus: Corpus) -> NearDuplicates:
    require(near_duplicate_texts.eval_read, "the evaluation set has no texts long enough to tell")
    return near_duplicate_texts


@provider
def shared_texts(train_corpus: Corpus, eval_corpus: Corpus) -> SharedTexts:
    """Texts long enough not to repeat by themselves, compared without case and punctuation."""
    from probes.facts.splits.shared_texts import find_shared

    found = find_shared(train_corpus.rows, eval_corpus.rows)
    require(found.eval_rows, "the evaluation set has no texts long enough to tell")
    return found


@provider
def near_duplicate_texts(train_corpus: Corpus, eval_corpus: Corpus | None = None) -> NearDuplicates:
    """Near twins in other groups; what training has within itself is what chance gives."""
    from probes.facts.splits.shared_texts import find_near

    found = find_near(train_corpus.rows, eval_corpus.rows if eval_corpus else (), NEAR)
    require(found.train_read, "the rows have no texts long enough to tell")
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
    require(found, "no column that names a video or a speaker is filled on both sides")
    return GroupColumns(tuple(found), len(eval_corpus.rows))


@provider
def shared_videos(groups: GroupColumns) -> GroupColumns:
    return _of(groups, "video")


@provider
def shared_speakers(groups: GroupColumns) -> GroupColumns:
    return _of(groups, "speaker")


def _of(groups: GroupColumns, role: str) -> GroupColumns:
    columns = tuple(group for group in groups.columns if group.role == role)
    require(columns, f"no column that names a {role} is filled on both sides")
    return GroupColumns(columns, groups.eval_rows)

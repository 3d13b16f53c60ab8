"""Items beside the batches that the run's own collator makes of them."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.collation.types import CollatedSample, LabelTextMatches
from probes.facts.core.require import require, require_items
from probes.facts.core.types import SpecialIds
from probes.facts.corpus.types import Corpus

ITEMS = 8  # through the collator; the seldom row is looked for in the manifest
COUNTED = 512  # texts that are counted against the limit: a share of 1 % is then five of them
LONG = 2  # of them with the longest texts, and as many with the shortest


@provider
def collated_sample(
    train_dataset: Any, collate: Any, labels_of: Any = None, train_manifest: Corpus | None = None
) -> CollatedSample:
    """A few items, those with the longest and the shortest texts among them, through the run's own collator."""
    from probes.facts.collation.collate_trial import collate_some
    from probes.facts.core.fork import ChildRaised
    from probes.facts.core.numbers import evenly_spaced
    from probes.facts.core.step_setup import labels_of_batch

    require_items(train_dataset)
    total = len(train_dataset)
    rows = train_manifest.rows if train_manifest and len(train_manifest.rows) == total else ()
    by_length = sorted(range(len(rows)), key=lambda number: sum(map(len, rows[number].texts.values())))
    ends = {*by_length[:LONG], *by_length[-LONG:]}
    numbers = sorted(ends | set(evenly_spaced(range(total), min(total, ITEMS) - len(ends))))
    try:
        return collate_some(train_dataset, numbers, collate, labels_of or labels_of_batch)
    except ChildRaised as reason:
        raise Unavailable(str(reason)) from reason


@provider
def label_text_matches(
    collated_sample: CollatedSample, tokenizer: Any, special_ids: SpecialIds, train_corpus: Corpus | None = None
) -> LabelTextMatches:
    """The labels of the collated items beside the tokens of their texts; others are counted, evenly over all rows."""
    from probes.facts.collation.label_text_match import TokenizerView, targets_of
    from probes.facts.core.numbers import evenly_spaced
    from probes.facts.core.tokens import encoder_of, special_tokens

    require(callable(tokenizer), "the tokenizer cannot be called on a text")
    if not collated_sample.labels or not any(item.texts or item.labels for item in collated_sample.items):
        raise NotApplicable("the items of the training set have neither texts under a known key nor labels")
    rows = train_corpus.rows if train_corpus else ()
    texts = [rows[number].texts for number in evenly_spaced(range(len(rows)), COUNTED)]
    special = special_tokens(tokenizer)
    view = TokenizerView(encoder_of(tokenizer), special, special_ids.ends, special_ids.start)
    return targets_of(collated_sample, view, texts)

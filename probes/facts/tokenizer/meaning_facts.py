"""Whether the run's tokenizer is the one that the weights were trained with."""

from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from probes.facts.core.require import require
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.types import SpecialIds, TokenTables
from probes.facts.tokenizer.types import RenumberedIds, StoredVocabulary

if TYPE_CHECKING:
    from torch.nn import Module

LEAST = 64  # tokens; of fewer, ids dealt out anew are often the same


@provider
def stored_vocabulary(model: "Module", tokenizer: Any, fresh: Any = ()) -> StoredVocabulary:
    """The tokenizer beside the weights on disk."""
    from probes.facts.tokenizer.token_meaning import require_trained_tables, stored_vocabulary_of

    found = require(stored_vocabulary_of(model, tokenizer), "no tokenizer lies in the directory of the weights")
    require_trained_tables(model, _patterns(fresh))
    return found


@provider(assumes=("evaluation_is_deterministic",))
def renumbered_ids(
    step_setup: StepSetup,
    drawn_batches: tuple[Any, ...],
    token_tables: TokenTables,
    special_ids: SpecialIds,
    tokenizer: Any,
    fresh: Any = (),
    stored_vocabulary: StoredVocabulary | None = None,
) -> RenumberedIds:
    """Forward passes over the first batches, for trained weights alone."""
    from probes.facts.tokenizer.renumbered_ids import compare_renumbered
    from probes.facts.tokenizer.token_meaning import require_trained_tables

    require(stored_vocabulary is None, "the tokenizer in the directory of the weights already shows it")
    require(token_tables.head and token_tables.head.rows >= LEAST, "the model has no head with a row for each token")
    require_trained_tables(step_setup.model, _patterns(fresh))
    rows = min(len(tokenizer), token_tables.embedding.rows if token_tables.embedding else 0)
    start = [special_ids.start] if special_ids.start is not None else []
    added = [*getattr(tokenizer, "all_special_ids", ()), *getattr(tokenizer, "added_tokens_decoder", ())]
    special = frozenset([*added, *special_ids.ends, *special_ids.padding, *start])
    return compare_renumbered(step_setup, drawn_batches, rows, special)


def _patterns(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)

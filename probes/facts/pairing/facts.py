"""Do targets fit their own inputs better than those of other rows? By a small teacher, and by the model's own loss."""

from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.core.require import has_items, require
from probes.facts.core.step_setup import LabelsOf, StepSetup
from probes.facts.first_step.types import FirstStep
from probes.facts.pairing.types import PairTest, PairTests, SwappedTargetLoss

if TYPE_CHECKING:
    from probes.facts.pairing.read_pairs import PairRows

LEAST = 30  # rows; below, right pairs may look like chance
DOUBT = 1e-3  # a chance above which the evaluation set is read too, and the model itself is asked
EVALUATION = "the evaluation set"
SECONDS = 20.0  # for the model's own training on some batches; `--pairs` asks for it whatever it costs


@provider
def pair_tests(
    train_batches: Any,
    labels_of: LabelsOf,
    train_dataset: Any = None,
    collate: Any = None,
    eval_dataset: Any = None,
    inputs_of: Any = None,
    tokenizer: Any = None,
) -> PairTests:
    """Up to 400 rows, read for a few seconds; the model is not needed."""
    import time

    start = time.perf_counter()
    rows, consumed = _read(train_dataset, collate, train_batches, labels_of, inputs_of)
    train = _related(rows, tokenizer)
    doubted = any(one.whole and one.p_value > DOUBT for one in train)
    evaluation: tuple[PairTest, ...] = ()
    if doubted and has_items(eval_dataset) and collate is not None:
        try:
            evaluation = _related(_read(eval_dataset, collate, None, labels_of, inputs_of)[0], tokenizer, EVALUATION)
        except NotApplicable:
            evaluation = ()
    return PairTests(train, evaluation, len(rows.numbers), time.perf_counter() - start, consumed)


@provider
def pairs_requested() -> bool:
    """Given by `diagnose overfit --pairs`: the model itself is asked too, whatever that costs."""
    raise NotApplicable("nobody asks for it")


@provider
def swapped_target_loss(
    update_setup: StepSetup,
    train_batches: Any,
    first_step: FirstStep,
    pair_tests: PairTests | None = None,
    pairs_requested: bool = False,
) -> SwappedTargetLoss:
    """Before any training; where that shows nothing, after some updates, on batches that were kept out of them."""
    from probes.facts.core.batches import draw
    from probes.facts.pairing.swapped_target_loss import BATCHES, compare, seconds_for

    if not pairs_requested:
        _only_in_doubt(pair_tests, seconds_for(first_step))
    drawn = draw(train_batches, BATCHES)
    if drawn.failure is not None or not drawn.batches:
        raise NotApplicable("no batches can be drawn for it")
    return compare(update_setup, drawn.batches)


def _only_in_doubt(found: PairTests | None, seconds: float) -> None:
    if found is None:
        raise NotApplicable("its rows cannot be compared without training; `diagnose overfit --pairs` trains on them")
    if all(one.p_value <= DOUBT for one in found.train if one.whole):
        raise NotApplicable(
            "targets were seen to belong to their inputs without it; `diagnose overfit --pairs` does it"
        )
    if seconds > SECONDS:
        raise NotApplicable(f"it needs about {seconds:.0f} s; `diagnose overfit --pairs` takes the time")


def _read(dataset: Any, collate: Any, batches: Any, labels_of: LabelsOf, inputs_of: Any) -> tuple["PairRows", str]:
    from probes.facts.pairing.read_pairs import from_batches, from_items, read

    def work() -> "PairRows":
        if has_items(dataset) and collate is not None:
            return from_items(dataset, collate, labels_of, inputs_of)
        return from_batches(batches, labels_of, inputs_of)

    rows, consumed = read(work, (dataset, collate, batches))
    require(len(rows.numbers) >= LEAST, f"{len(rows.numbers)} rows are too few to tell, expected at least {LEAST}")
    return rows, consumed


def _related(rows: "PairRows", tokenizer: Any, of: str = "train_dataset") -> tuple[PairTest, ...]:
    from probes.facts.pairing.ridge_test import run_pair_tests

    names = [of + _name(rows, number, tokenizer) for number in range(len(rows.kinds))]
    return tuple(
        relation
        for kind, name in zip(rows.kinds, names, strict=True)
        for relation in run_pair_tests(kind, rows.stretches, rows.numbers, name)
    )


def _name(rows: "PairRows", number: int, tokenizer: Any) -> str:
    """What all targets of a kind begin with tells them apart from the other kinds, unless they begin alike."""
    if len(rows.kinds) == 1:
        return ""
    first, alike = rows.kinds[number].first, len({kind.first for kind in rows.kinds}) < len(rows.kinds)
    if first is not None and not alike and hasattr(tokenizer, "convert_ids_to_tokens"):
        return f", targets that begin with {tokenizer.convert_ids_to_tokens(first)}"
    return f", target {number + 1} of {len(rows.kinds)} of each item"

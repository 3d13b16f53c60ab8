from math import atanh, sqrt

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.pairing.types import PairTest, PairTests
from probes.reporting.shared_words import strange_words

UNRELATED = 1e-3  # the chance above which own targets are taken to fit no better than swapped ones
SHOWN = 1e-3  # and below which they do
SURE = 6.0  # one-sided 1e-9; some fifty shifts, kinds and stretches are looked at
APART = 5.0  # between two figures of deviation 1 each: one-sided 2e-4, besides being sure
FAINT = 4.0  # own pairs that fit by more belong together somehow: the next input may well tell still more of a target
FLOOR, FEWEST = 0.5, 3.72  # lengths of right pairs correlate by that at the very least (DAT040); one-sided 1e-4


@probe(id="LRN030", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN03[12]", "GEN*"))
def targets_are_misaligned_with_inputs(pair_tests: PairTests) -> Findings:
    """Targets are misaligned with their inputs: what other rows teach fits them no better than swapped ones."""
    kinds = [one for one in pair_tests.train if one.whole]
    stretches = [one for one in pair_tests.train if not one.whole]
    found = [(one, why) for one in kinds if (why := _why(one, _peers(one, kinds, pair_tests.evaluation)))]
    found += [(one, why) for one in pair_tests.batches if (why := _why(one, kinds))]
    found = found or [(one, why) for one in stretches if (why := _why(one, _others(one, stretches)))]
    for one, why in found:
        yield Finding(
            where=one.where,
            message=f"a kernel regression predicts the targets of {one.rows} rows it has not seen; own targets against "
            f"swapped targets: z = {max(one.z_score, 0.0):.1f}, p = {one.p_value:.2g}, expected a much larger z; {why}",
            fix="join inputs and targets again by file name, not by position",
            measured={"sigmas": one.z_score, "chance": one.p_value, "rows": one.rows, "shift": one.shift},
        )


def _why(one: PairTest, peers: list[PairTest]) -> str:
    """The evidence that a relation would have been seen; empty where the pairs are right or nobody can tell."""
    unrelated = one.p_value > UNRELATED
    clearly = one.shifted > max(SURE, one.z_score + APART, 1.5 * one.z_score)
    if one.shift and clearly and (one.z_score < FAINT or one.is_speech):
        return f"shifted by {one.shift:+d} rows z = {one.shifted:.1f}"
    best = max(peers, key=lambda peer: _expected(peer, one), default=None)
    if unrelated and best is not None and _expected(best, one) - max(one.z_score, 0.0) > APART:
        return f"{best.where} has z = {best.z_score:.1f} with {best.rows} rows"
    law = None if one.lengths is None else (atanh(FLOOR) - atanh(min(one.lengths, 0.999))) * sqrt(one.rows - 3)
    if unrelated and law is not None and law > FEWEST:
        return f"the correlation of input and target lengths is {one.lengths:.2f}, expected at least {FLOOR} for speech"
    return strange_words(one.shared) if unrelated else ""


def _expected(peer: PairTest, one: PairTest) -> float:
    return peer.z_score * min(1.0, one.rows / peer.rows) if peer.p_value <= SHOWN else 0.0


def _peers(one: PairTest, kinds: list[PairTest], evaluation: tuple[PairTest, ...]) -> list[PairTest]:
    same = [peer for peer in evaluation if peer.whole][kinds.index(one) :][:1]
    return [*(peer for peer in kinds if peer is not one), *same]


def _others(one: PairTest, stretches: list[PairTest]) -> list[PairTest]:
    """Of the other stretches the usual one."""
    rest = sorted((other for other in stretches if other is not one), key=lambda other: other.z_score)
    return rest[len(rest) // 2 :][:1]

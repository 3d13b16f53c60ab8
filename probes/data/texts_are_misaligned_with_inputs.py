from math import atanh

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.pairing.types import ManifestPairTest
from probes.reporting.shared_words import strange_words

ALPHA = 1e-4  # the chance that texts dealt out at random fit as well and are passed
FLOOR = 0.5  # correlation of right pairs at the very least: the demo has 0.80 and 0.89, read speech 0.9
SIGMAS = 3.72  # one-sided 1e-4: the chance that pairs of that correlation are called wrong
STRETCH = 4.5  # one-sided 3e-6, since there are several stretches and shifts


@probe(id="DAT040", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT030", "LRN03*"))
def texts_are_misaligned_with_inputs(manifest_pair_tests: tuple[ManifestPairTest, ...]) -> Findings:
    """Texts are misaligned with their inputs: they fit no better than the texts of other rows."""
    for fit in manifest_pair_tests:
        if _wrong(fit):
            measure = "gain in shared words" if fit.by == "words" else "rank correlation"
            strange = strange_words(fit.shared)
            slipped = f"; shifted by {fit.shift:+d} rows they match ({fit.shifted:.2f})" if fit.shift else ""
            yield Finding(
                where=f"{fit.first.where} to {fit.last.where}" if fit.others is not None else fit.first.where,
                message=f"{fit.right} and {fit.left} of {fit.rows} rows have a {measure} of {fit.correlation:.2f}, "
                f"expected {_expected(fit)}; p = {fit.p_value:.2g} against shuffled texts{slipped}"
                + (f"; {strange}" if strange else ""),
                fix="join texts and inputs again by file name, not by position",
                measured={"correlation": fit.correlation, "chance": fit.p_value, "rows": fit.rows, "shift": fit.shift},
                severity=None if fit.by == "length" or fit.shift or strange else Severity.WARNING,
                file=fit.first.file,
                line=fit.first.line,
            )


def _wrong(fit: ManifestPairTest) -> bool:
    if fit.by == "words":
        return fit.p_value > ALPHA
    if fit.shift and _apart(fit.shifted, fit.correlation, fit.rows, 2) > STRETCH:
        return True
    if fit.others is not None:
        return fit.p_value > ALPHA and _apart(fit.others, fit.correlation, fit.rows, 2) > STRETCH
    return fit.p_value > ALPHA and _apart(FLOOR, fit.correlation, fit.rows, 1) > SIGMAS


def _apart(high: float, low: float, rows: int, samples: int) -> float:
    """By how many sigmas two correlations differ (Fisher's z)."""
    return float((atanh(min(high, 0.999)) - atanh(max(min(low, 0.999), -0.999))) * ((rows - 3) / samples) ** 0.5)


def _expected(fit: ManifestPairTest) -> str:
    if fit.by == "words":
        return "more than 0"
    return f"about {fit.others:.2f} as in other rows" if fit.others is not None else f"at least {FLOOR}"

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.tokenizer.types import RoundTrip

MANY = 0.01  # of the texts; what does not come back is an error that no training takes away
MILD = ("case",)  # a choice that many make


@probe(id="TOK003", stage=Stage.TOKENIZER, severity=Severity.WARNING)
def tokenizer_round_trip_is_lossy(round_trips: tuple[RoundTrip, ...]) -> Findings:
    """The tokenizer round trip is lossy: encoding and decoding a text changes it."""
    for kind in ("letters", "accents", "spaces", "case"):
        lost = [trip for trip in round_trips if trip.lost == kind and not trip.unknown]
        if lost:
            share = len(lost) / len(round_trips)
            yield Finding(
                where=lost[0].where,
                message=f"{len(lost)} of {len(round_trips)} texts ({share:.1%}) lose {kind} when they are encoded and "
                f"decoded: {lost[0].text[:60]!r} comes back as {lost[0].back[:60]!r}",
                fix="use a tokenizer that keeps them, and check do_lower_case, strip_accents and the normalizer",
                measured={"texts": len(lost), "of": len(round_trips), "lost": kind},
                severity=None if share >= MANY and kind not in MILD else Severity.NOTE,
            )

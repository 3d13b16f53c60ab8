"""Words on texts that share no more rare words with their own row than with others."""

from probes.facts.pairing.types import SharedTokens

SIGMAS = 3.72  # one-sided 1e-4
TIMES = 2.0  # the rare words that own texts share over those of other rows: in summaries and headlines 5 and more


def strange_words(shared: SharedTokens | None) -> str:
    """The evidence that texts of one language have nothing to do with each other; "" where there is none."""
    if shared is None or shared.own + SIGMAS * shared.deviation > TIMES * shared.swapped:
        return ""
    return (
        f"{shared.tokens} rare words occur in target and input of the same row {shared.own:.0f} times, in those of "
        f"different rows {shared.swapped:.0f} times, expected more than {TIMES:.0f} times as often in the same row"
    )

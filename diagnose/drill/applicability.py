"""Whether a fault fits a subject, and in a person's words why not."""

from collections.abc import Collection

NAMES = {
    "whisper": "a Whisper",
    "e2e": "an encoder of raw audio with a decoder",
    "hybrid": "a CTC and attention hybrid",
    "mt5": "a model from text to text",
    "classifier": "a classifier of pairs (x, y)",
}
SPEECH = {"whisper", "e2e", "hybrid"}
SEQUENCES = {*SPEECH, "mt5"}


def not_applicable_reason(applies_to: Collection[str], kinds: Collection[str]) -> str:
    """Nothing where it fits."""
    wanted = set(applies_to)
    if "*" in wanted or wanted & set(kinds):
        return ""
    if wanted == SPEECH:
        return "there is no speech in it"
    if wanted == SEQUENCES:
        return "its labels are not sequences of tokens"
    names = [NAMES.get(name, name) for name in applies_to]
    return f"it needs {' or '.join([', '.join(names[:-1])] * (len(names) > 1) + names[-1:])}"

"""Whether a fault applies to a subject, and in plain words why not."""

from collections.abc import Collection

NAMES = {
    "whisper": "a Whisper",
    "e2e": "an encoder of raw audio with a decoder",
    "hybrid": "a CTC and attention hybrid",
    "mt5": "a text-to-text model",
    "classifier": "a classifier of pairs (x, y)",
}
SPEECH = {"whisper", "e2e", "hybrid"}
SEQUENCES = {*SPEECH, "mt5"}


def not_applicable_reason(applies_to: Collection[str], kinds: Collection[str]) -> str:
    """ "" if it applies."""
    kinds_needed = set(applies_to)
    if "*" in kinds_needed or kinds_needed & set(kinds):
        return ""
    if kinds_needed == SPEECH:
        return "there is no speech in it"
    if kinds_needed == SEQUENCES:
        return "its labels are not sequences of tokens"
    names = [NAMES.get(name, name) for name in applies_to]
    return f"it needs {' or '.join([', '.join(names[:-1])] * (len(names) > 1) + names[-1:])}"

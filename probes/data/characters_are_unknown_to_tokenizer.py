from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.text.types import UnknownTokenShares

SOME = 0.001  # of all letters: a name in another script now and then is no fault
MANY = 0.05  # one letter in twenty: about every fifth word cannot be written


@probe(id="DAT029", stage=Stage.DATA, severity=Severity.ERROR, explains=("TOK00[345]",))
def characters_are_unknown_to_tokenizer(unknown_token_shares: UnknownTokenShares) -> Findings:
    """The texts contain characters or a script that the tokenizer's vocabulary lacks."""
    for script, letters in unknown_token_shares.strange.items():
        count = sum(letters.values())
        share = count / max(1, unknown_token_shares.letters)
        if share > SOME:
            shown = " ".join(sorted(letters, key=lambda letter: -letters[letter])[:10])
            yield Finding(
                where="texts of training and evaluation",
                message=f"{share:.1%} of the letters are not in the tokenizer's vocabulary, all of them "
                f"{script.lower()}: {shown}",
                fix="use a tokenizer for this language, or add the characters with tokenizer.add_tokens and resize "
                "the embeddings",
                measured={"share": share, "letters": len(letters), "script": script},
                severity=None if share > MANY else Severity.WARNING,
            )

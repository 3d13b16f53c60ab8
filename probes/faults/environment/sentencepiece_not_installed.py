from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.installing import without


@fault(
    "sentencepiece_not_installed",
    "nothing reads the tokenizer's vocabulary",
    "ENV005",
    lambda facts: "tokenizer_needs" in facts and bool(facts["tokenizer_needs"].absent),
)
def sentencepiece_not_installed(facts: Facts) -> Facts:
    from probes.instruments.corpus_on_disk import folder
    from probes.providers.environment import tokenizer_needs

    source = folder()
    (source / "spiece.model").touch()
    with without("sentencepiece"):
        return {**facts, "tokenizer_needs": tokenizer_needs(str(source))}

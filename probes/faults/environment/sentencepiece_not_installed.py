from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.installations import without_package


@fault(
    "nothing reads the tokenizer's vocabulary",
    "ENV005",
    lambda facts: "tokenizer_needs" in facts and bool(facts["tokenizer_needs"].absent),
)
def sentencepiece_not_installed(facts: Facts) -> Facts:
    from probes.facts.environment.facts import tokenizer_needs
    from probes.subjects.corpus_files import folder

    source = folder()
    (source / "spiece.model").touch()
    with without_package("sentencepiece"):
        return {**facts, "tokenizer_needs": tokenizer_needs(str(source))}

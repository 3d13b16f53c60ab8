from diagnose import fault
from probes.faults.changes import Facts


@fault(
    "sentencepiece_not_installed",
    "nothing reads the tokenizer's vocabulary",
    "ENV005",
    lambda f: "tokenizer_needs" in f,
)
def sentencepiece_not_installed(facts: Facts) -> Facts:
    from probes.measured.environment import TokenizerNeeds

    names = ("sentencepiece",)
    why = "its vocabulary is spiece.model"
    return {**facts, "tokenizer_needs": TokenizerNeeds("mt5-small", why, names, names, ("it is not installed",))}

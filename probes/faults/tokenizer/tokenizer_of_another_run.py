from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.memorized_model import memorized
from probes.faults.kit.tokenizer_changes import renumbered, with_tokenizer

WORD = "mua"


def _is_renumbered(facts: Facts) -> bool:
    from probes.healthy import healthy

    usual = healthy("hybrid")["tokenizer"]
    return bool(facts["tokenizer"](WORD)["input_ids"] == renumbered(usual)(WORD)["input_ids"])


@fault("trained weights get a tokenizer with other ids", "TOK015", _is_renumbered, ("hybrid",))
def tokenizer_of_another_run(facts: Facts) -> Facts:
    return with_tokenizer(memorized(facts), renumbered(facts["tokenizer"]))

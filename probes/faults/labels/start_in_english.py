from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.tokenizer_changes import CODES, with_tokens


def _start(facts: Facts) -> str:
    return str(facts["tokenizer"].convert_ids_to_tokens(facts["model"].config.decoder_start_token_id))


@fault(
    "the decoder starts with the token of English, and Vietnamese is wanted",
    "LAB009",
    lambda f: _start(f) == "en_XX",
    ("e2e", "mt5"),
)
def start_in_english(facts: Facts) -> Facts:
    broken = with_tokens(facts, *CODES)
    broken["tokenizer"].tgt_lang = "vi_VN"
    broken["model"].config.decoder_start_token_id = broken["tokenizer"].convert_tokens_to_ids("en_XX")
    return broken

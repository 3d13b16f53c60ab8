"""Faults of generating: in the call, in the settings, in the prompt."""

from collections.abc import Callable
from typing import Any

from diagnose import fault
from diagnose.facts import NotApplicable
from probes.faults.anatomy import main_input
from probes.faults.changes import SEQUENCES, Facts

FEW = 6
THEIRS = ("whisper", "e2e", "mt5")


def two_rows(facts: Facts) -> Any:
    return facts["collate"]([facts["train_dataset"][number] for number in range(2)])


def generated(facts: Facts) -> Any:
    """What two rows are answered; None where it raises."""
    from probes.instruments.generation import quiet
    from probes.instruments.observer import observed

    with quiet(), observed(facts["model"]):
        facts["model"].eval()
        try:
            return facts["generate"](facts["model"], two_rows(facts))
        except Exception:
            return None


def set_generation(facts: Facts, **settings: Any) -> Facts:
    for name, value in settings.items():
        setattr(facts["model"].generation_config, name, value)
    return facts


def setting(name: str, value: Any) -> Callable[[Facts], bool]:
    return lambda facts: getattr(getattr(facts["model"], "generation_config", None), name, None) == value


@fault(
    id="generation_given_a_wrong_key",
    breaks="generate reads a key that the batches do not hold",
    named_by="GEN001",
    proof=lambda facts: generated(facts) is None,
    applies_to=SEQUENCES,
)
def generation_given_a_wrong_key(facts: Facts) -> Facts:
    return {**facts, "generate": lambda model, batch: model.generate(batch["features"])}


@fault(
    id="words_suppressed",
    breaks="suppress_tokens holds what the labels say last",
    named_by="GEN002",
    proof=lambda facts: len(getattr(facts["model"].generation_config, "suppress_tokens", None) or ()) > 3,
    applies_to=THEIRS,
)
def words_suppressed(facts: Facts) -> Facts:
    labels = facts["collate"]([facts["train_dataset"][number] for number in range(36)])["labels"]
    return set_generation(facts, suppress_tokens=sorted({row[row >= 0][-2].item() for row in labels}))


@fault(
    id="minimum_beyond_labels",
    breaks="min_length is longer than any label, so that the end token is forbidden where labels end",
    named_by="GEN002",
    proof=setting("min_length", 39),
    applies_to=THEIRS,
)
def minimum_beyond_labels(facts: Facts) -> Facts:
    return set_generation(facts, min_length=39)


@fault(
    id="beginning_forced",
    breaks="forced_bos_token_id is a token that no label begins with",
    named_by="GEN002",
    proof=setting("forced_bos_token_id", 9),
    applies_to=("e2e", "mt5"),
)
def beginning_forced(facts: Facts) -> Facts:
    broken = set_generation(facts, forced_bos_token_id=9)
    said = generated(broken)
    if said is not None and 9 not in said[:, :2]:
        raise NotApplicable("its generation is given a prompt, behind which no beginning is forced")
    return broken


@fault(
    id="start_given_twice",
    breaks="generation is given the start token as a prompt, and begins with it twice",
    named_by="GEN003",
    proof=lambda facts: facts["generate"].__name__ == "doubled",
    applies_to=("e2e", "mt5"),
)
def start_given_twice(facts: Facts) -> Facts:
    def doubled(model: Any, batch: Any) -> Any:
        given = batch[main_input(model, batch)]
        starts = given.new_full((len(given), 2), model.config.decoder_start_token_id).long()
        return model.generate(given, attention_mask=batch["attention_mask"], decoder_input_ids=starts)

    return {**facts, "generate": doubled}


@fault(
    id="prompt_never_taught",
    breaks="generation begins with a token that the labels do not have",
    named_by="GEN003",
    proof=lambda facts: bool((generated(facts)[:, 0] == 9).all()),
    applies_to=("hybrid",),
)
def prompt_never_taught(facts: Facts) -> Facts:
    if not hasattr(facts["model"], "say"):
        raise NotApplicable("its generation is given the prompt of each row, not one for all")
    end = facts["tokenizer"].eos_token_id
    say = lambda model, batch: model.say(batch["feats"], batch["feat_lens"], end, prompt=(9,))  # noqa: E731
    return {**facts, "generate": say}


@fault(
    id="generation_limit_too_small",
    breaks="generation stops after five tokens, whatever the labels have",
    named_by="GEN004",
    proof=lambda facts: setting("max_length", FEW)(facts) or facts["generate"].__name__ == "<lambda>",
    applies_to=SEQUENCES,
)
def generation_limit_too_small(facts: Facts) -> Facts:
    """In the settings where they are obeyed."""
    if hasattr(facts["model"], "say"):
        end = facts["tokenizer"].eos_token_id
        return {**facts, "generate": lambda model, batch: model.say(batch["feats"], batch["feat_lens"], end, limit=FEW)}
    said = generated(set_generation(facts, max_length=FEW))
    if said is not None and said.shape[1] > FEW:
        raise NotApplicable("its generation does not take its limit from generation_config")
    return facts


@fault(
    id="end_not_waited_for",
    breaks="the decoding loop waits for another token than the labels end with",
    named_by="GEN004",
    proof=lambda facts: facts["generate"].__name__ == "waiting",
    applies_to=("hybrid",),
)
def end_not_waited_for(facts: Facts) -> Facts:
    if not hasattr(facts["model"], "say"):
        raise NotApplicable("its generation cannot be told to wait for another token")

    def waiting(model: Any, batch: Any) -> Any:
        return model.say(batch["feats"], batch["feat_lens"], end=len(facts["tokenizer"]) + 7)

    return {**facts, "generate": waiting}


@fault(
    id="output_cut_too_far",
    breaks="six tokens are cut off what was generated, as if they were a prompt",
    named_by="GEN005",
    proof=lambda facts: facts["generate"].__name__ == "cut",
    applies_to=SEQUENCES,
)
def output_cut_too_far(facts: Facts) -> Facts:
    whole = facts["generate"]

    def cut(model: Any, batch: Any) -> Any:
        return whole(model, batch)[:, 6:]

    return {**facts, "generate": cut}


@fault(
    id="sampling_left_on",
    breaks="the evaluation samples",
    named_by="GEN013",
    proof=lambda facts: facts["generate"].__name__ == "sampling",
    applies_to=THEIRS,
)
def sampling_left_on(facts: Facts) -> Facts:
    """Whisper samples where it is given a temperature, the others where they are told to."""
    usual = facts["generate"]

    def sampling(model: Any, batch: Any) -> Any:
        how: dict[str, Any] = {"temperature": 0.9} if "input_features" in batch else {"do_sample": True}
        whole = model.generate
        model.generate = lambda *given, **named: whole(*given, **{**named, **how})
        try:
            return usual(model, batch)
        finally:
            del model.generate

    return {**facts, "generate": sampling}

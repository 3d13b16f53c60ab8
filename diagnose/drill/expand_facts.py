"""A subject as single facts: none stays behind a configuration or a Trainer, where no fault could reach it."""

from collections.abc import Mapping
from typing import Any

from diagnose.common.errors import InputError
from diagnose.engine.context import FactError
from diagnose.engine.engine import Engine
from diagnose.engine.user_facts import ROOTS

Facts = dict[str, Any]
# What others are read from: once that is done, they still describe the run as it was.
HANDLES = frozenset({"config", "trainer", "model_bundle", "configured_dataset", "digest_inputs"})
# Without these there is no run that a fault could be put into.
REQUIRED = ("model", "train_batches")
# Each holds the whole run as it was; where a fault brings another part, it belongs to a run that is not examined.
WHOLE = frozenset({"training_step", "accumulated_step", "evaluate", "readable_dataset"})


def expand_facts(engine: Engine, subject: Mapping[str, Any]) -> Facts:
    """Every fact that a person may give, and all that is read from their configuration or Trainer."""
    context = engine.context(subject)
    for name in REQUIRED if HANDLES & set(subject) else ():
        try:
            context.get(name)
        except FactError as refusal:
            raise InputError(refusal.reason) from refusal
    derived = {provider.fact for provider in engine.providers if HANDLES & set(provider.needs.required)}
    names = dict.fromkeys([*subject, *ROOTS, *sorted(derived)])
    return {name: value for name in names if name not in HANDLES and (value := context.get_or_none(name)) is not None}


def facts_after_fault(before: Mapping[str, Any], broken: Mapping[str, Any]) -> Facts:
    """What is looked at once a fault is in: without what still holds the parts that it replaced."""
    replaced = {name for name in {*before, *broken} if broken.get(name) is not before.get(name)}
    outdated = WHOLE - replaced if replaced - WHOLE else frozenset()
    return {name: value for name, value in broken.items() if name not in outdated}

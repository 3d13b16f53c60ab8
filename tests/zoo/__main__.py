"""`python -m tests.zoo [NAME ...] [--fault FAULT] [--seeds N] [--train]`: what a preflight says of each set-up."""

from __future__ import annotations

import argparse
import traceback

from tests.zoo.faults import FAULTS
from tests.zoo.registry import SetUp, setups
from tests.zoo.training import fell, train
from tests.zoo.verdicts import look


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="beginnings of set-up names; all by default")
    parser.add_argument("--fault", choices=sorted(FAULTS), action="append")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--train", action="store_true", help="show that each set-up is healthy instead")
    wishes = parser.parse_args()
    for name, one in setups().items():
        if wishes.names and not any(name.startswith(wish) for wish in wishes.names):
            continue
        for seed in range(wishes.seeds):
            for fault in wishes.fault or [""]:
                try:
                    _show(one, seed, fault, wishes.train)
                except Exception:
                    print(f"{name} {fault} seed {seed}: RAISED\n{traceback.format_exc()}", flush=True)


def _show(one: SetUp, seed: int, fault: str, proof: bool) -> None:
    facts = one.facts(seed)
    if proof:
        losses = train(facts)
        state = "falls" if fell(losses) else "DOES NOT FALL"
        print(f"{one.name} seed {seed}: {losses[0]:.4g} -> {losses[-1]:.4g} {state}", flush=True)
        return
    if fault:
        broken = FAULTS[fault](facts)
        if broken is None:
            print(f"{one.name} {fault}: does not apply", flush=True)
            return
        facts = broken
    result = look(facts, seed)
    print(f"{one.name} {fault} seed {seed}: {result.verdict} ran {result.ran}, {result.seconds} s", flush=True)
    if result.verdict == "inconclusive":
        print(f"    {result.headline[:300]}", flush=True)
    for line in result.errors + result.warnings + result.stuck:
        print(f"    {line[:300]}", flush=True)


if __name__ == "__main__":
    main()

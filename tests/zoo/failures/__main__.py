"""`python -m tests.zoo.failures [NAME ...] [--broken | --healthy]`: what a preflight says of each case."""

from __future__ import annotations

import argparse
import traceback
from itertools import groupby

from tests.zoo.failures.cases import Case, cases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of module, case or failure names; all by default")
    parser.add_argument("--broken", action="store_true")
    parser.add_argument("--healthy", action="store_true")
    wishes = parser.parse_args()
    for case in cases().values():
        about = f"{case.build.__module__} {case.name} {case.fault}"
        if wishes.names and not any(wish in about for wish in wishes.names):
            continue
        for broken in [True] * (not wishes.healthy) + [False] * (not wishes.broken):
            try:
                _show(case, broken)
            except Exception:
                print(f"{case.name} {broken}: RAISED\n{traceback.format_exc()}", flush=True)


def _show(case: Case, broken: bool) -> None:
    result = case.look(broken)
    if broken:
        told = "NAMED" if case.is_named(result) else "TOLD OTHERWISE" if result.told else "NOT TOLD"
        state = f"broken: {told}, {'stopped' if result.errors else 'not stopped'}"
    else:
        state = "healthy: go" if result.verdict == "go" and not result.told else "healthy: FALSE ALARM"
    print(f"{case.name} [{case.fault}] {state} ({result.verdict}, ran {result.ran}, {result.seconds} s)", flush=True)
    for mark, lines in (("E", result.errors), ("W", result.warnings)):
        for _, same in groupby(lines, key=lambda line: line.split()[0]):
            first, *rest = same
            print(f"    {mark} {first[:260]}{f' (+{len(rest)})' if rest else ''}", flush=True)
    if result.stuck and not broken:
        print(f"    {len(result.stuck)} blocked: {result.stuck[0][:300]}", flush=True)


if __name__ == "__main__":
    main()

"""One folder of a preflight: its report, its receipt, and the long lists of findings."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from diagnose.common.atomic_write import write_atomically
from diagnose.common.errors import InputError, short_error
from diagnose.engine.report import Report
from diagnose.engine.report_json import finding_as_dict
from diagnose.engine.root_causes import SHOWN
from diagnose.engine.verdict import verdict_of_json
from diagnose.gate.receipt import Receipt, why_rejected

Key = tuple[str, str]  # probe and place of a finding


@dataclass(frozen=True)
class ChangesSince:
    """Findings that changed since the preflight before."""

    resolved: tuple[Key, ...]
    new: tuple[Key, ...]


@dataclass(frozen=True)
class PreflightFolder:
    """<output>/preflight/ of one run, or a folder in it for another configuration."""

    path: Path

    @property
    def report(self) -> Path:
        return self.path / "report.json"

    @property
    def receipt(self) -> Path:
        return self.path / "receipt.json"

    @property
    def page(self) -> Path:
        return self.path / "report.html"

    def findings(self, probe: str) -> Path:
        return self.path / "findings" / f"{probe}.jsonl"

    def write(self, report: Report, receipt: Receipt) -> None:
        """Long lists first, the receipt last: a receipt never refers to files that are not there."""
        all_of = {o.probe: [one for finding in o.findings for one in finding.singles] for o in report.outcomes}
        long = {probe: findings for probe, findings in all_of.items() if len(findings) > SHOWN}
        for old in self.path.glob("findings/*.jsonl"):
            if old.stem not in long:
                old.unlink(missing_ok=True)
        for probe, findings in long.items():
            write_atomically(self.findings(probe), "".join(f"{json.dumps(finding_as_dict(f))}\n" for f in findings))
        text = report.to_json()
        write_atomically(self.report, text)
        report.write_html(self.page)
        write_atomically(self.receipt, replace(receipt, report=_digest(text.encode())).to_json())

    def opening_receipt(self) -> Receipt | None:
        """The receipt that lies here, if it opens the gate for a run that has not changed since."""
        try:
            receipt = self.proven_receipt()
        except InputError:
            return None
        return None if why_rejected(receipt) else receipt

    def proven_receipt(self) -> Receipt:
        """The receipt that lies here; refuses one whose verdict does not follow from the outcomes of the report."""
        receipt = read_receipt(self.path)
        try:
            content = self.report.read_bytes()
            report = json.loads(content) if _digest(content) == receipt.report else None
            proven = report and (str(verdict_of_json(report)), _statuses(report)) == (receipt.verdict, receipt.probes)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise _unproven(self.receipt, f"{self.report.name} cannot be read ({short_error(error)})") from error
        if report is None:
            raise _unproven(self.receipt, f"{self.report.name} has changed since, or is of another preflight")
        if not proven:
            raise _unproven(self.receipt, f"the outcomes in {self.report.name} do not give its verdict")
        return receipt

    def copy_to(self, other: "PreflightFolder") -> None:
        """Takes the place of what lies there; the receipt comes last, as in `write`."""
        for old in other.path.glob("findings/*.jsonl"):
            old.unlink(missing_ok=True)
        for path in (*self.path.glob("findings/*.jsonl"), *self.path.glob("report.*"), self.receipt):
            write_atomically(other.path / path.relative_to(self.path), path.read_bytes())

    def skip(self, reason: str, when: str) -> None:
        """Records that the run started without a preflight."""
        write_atomically(self.path / "skipped.json", json.dumps({"created": when, "reason": reason}) + "\n")

    def since(self, report: Report) -> ChangesSince | None:
        """Compared with the report that lies there, over the probes that looked both times; None when there is none."""
        try:
            before = json.loads(self.report.read_text(encoding="utf-8"))["outcomes"]
            looked = {o["probe"] for o in before if o["status"] in ("passed", "found")}
            found = [(o["probe"], finding) for o in before for finding in o["findings"]]
            old = [(probe, one["where"]) for probe, finding in found for one in finding.get("instances") or [finding]]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        both = looked & {outcome.probe for outcome in report.outcomes if outcome.ran}
        new = [(one.probe, one.where) for finding in report.findings for one in finding.singles]
        return ChangesSince(_only(old, new, both), _only(new, old, both))


def _only(keys: Iterable[Key], others: Iterable[Key], probes: set[str]) -> tuple[Key, ...]:
    excluded = set(others)
    return tuple(key for key in dict.fromkeys(keys) if key not in excluded and key[0] in probes)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _statuses(report: Any) -> dict[str, str]:
    return {outcome["probe"]: outcome["status"] for outcome in report["outcomes"]}


def _unproven(path: Path, why: str) -> InputError:
    return InputError(f"{path}: the receipt does not count: {why}; run diagnose preflight again")


def read_receipt(path: Path) -> Receipt:
    """A receipt by its file, its preflight folder or its run's directory."""
    places = [path, path / "receipt.json", path / "preflight" / "receipt.json"]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise InputError(f"{path}: there is no receipt; diagnose preflight --config C writes one next to the run")
    try:
        return Receipt.from_json(found.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        wrong = f"this is not a readable receipt ({error})"
        raise InputError(f"{found}: {wrong}; run diagnose preflight again") from error

"""release.json for machines and release.md for people, beside the model; written whole or not at all."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from diagnose.common.atomic_write import write_atomically
from diagnose.common.errors import InputError
from diagnose.engine.report_json import finding_as_dict
from diagnose.release.checks import CheckState, ReleaseItem
from diagnose.release.signatures import Signature

SCHEMA = "gonogo/release/1"
NAME = "release.json"


@dataclass(frozen=True)
class ReleaseGate:
    """The gate of one model."""

    items: tuple[ReleaseItem, ...]
    signatures: Mapping[str, Signature]
    model: Mapping[str, str]
    created: str

    @property
    def exit_code(self) -> int:
        """Failing 1, evidence missing 2, unsigned 1, else 0: what is plainly wrong goes first."""
        states = [item.state for item in self.items]
        if CheckState.FAILING in states:
            return 1
        if CheckState.MISSING in states:
            return 2
        return 0 if len(self.signatures) == len(self.items) else 1

    @property
    def verdict(self) -> str:
        """The gate in one sentence."""
        for state in (CheckState.FAILING, CheckState.MISSING):
            named = [item.check.title for item in self.items if item.state is state]
            if named:
                return f"CLOSED: {', '.join(named)}: {'evidence missing' if state is CheckState.MISSING else 'failing'}"
        waiting = [f"{i.check.title} ({i.check.owner})" for i in self.items if i.check.key not in self.signatures]
        return f"CLOSED: not signed: {', '.join(waiting)}" if waiting else "OPEN: every check passed and is signed"

    def to_json(self) -> str:
        items = {
            item.check.key: {
                "title": item.check.title,
                "owner": item.check.owner,
                "state": str(item.state),
                "evidence": item.evidence,
                "findings": [finding_as_dict(finding) for finding in item.findings],
            }
            for item in self.items
        }
        head = {"schema": SCHEMA, "created": self.created, "verdict": self.verdict, "exit_code": self.exit_code}
        signatures = {key: asdict(signature) for key, signature in self.signatures.items()}
        content = {**head, "model": dict(self.model), "items": items, "signatures": signatures}
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    def to_markdown(self) -> str:
        lines = ["# Release gate", "", f"{self.created}: {self.verdict}", ""]
        lines += ["| check | state | evidence | owner | signed |", "|---|---|---|---|---|"]
        for item in self.items:
            cells = (item.check.title, item.state, item.evidence, item.check.owner, self.signature(item))
            lines.append(f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |")
        found = [(item, finding) for item in self.items for finding in item.findings]
        if found:
            lines += ["", "## Findings", ""]
        lines += [f"- {f.probe} {f.severity}, {f.where}: {f.message}; fix: {f.fix}" for _, f in found]
        lines += ["", "## Model", "", *(f"- {name}: sha256 {digest}" for name, digest in self.model.items())]
        return "\n".join(lines) + "\n"

    def signature(self, item: ReleaseItem) -> str:
        one = self.signatures.get(item.check.key)
        return "no" if one is None else f"{one.by}, {one.when}" + (f": {one.note}" if one.note else "")

    def write(self, run: Path) -> None:
        """The page first: the file that decides never refers to one that is not there."""
        write_atomically(run / "release.md", self.to_markdown())
        write_atomically(run / NAME, self.to_json())


def read_old(run: Path) -> Any:
    """The gate as it stood before; nothing where there was none. One that cannot be read holds no signature."""
    path = run / NAME
    if not path.exists():
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({error}); move it and sign again") from error

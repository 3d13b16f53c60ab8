"""The receipt of a preflight: what was looked at, what came of it, and the digests of everything it vouches for."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from diagnose.engine.report import Report
from diagnose.engine.types import PREFIXES, Stage, Status, Verdict
from diagnose.gate.digests import Digests, canonical, short_sha256
from diagnose.gate.item_digests import ItemDigests, difference

SCHEMA = "gonogo/receipt/1"
TABLES = ("config", "manifests", "audio", "weights", "code", "versions", "ignored", "probes")
MUST_HAVE_LOOKED = (Stage.LOSS, Stage.GRADIENTS, Stage.LEARNING)


@dataclass(frozen=True)
class Receipt:
    """Plain data, kept as JSON beside the run."""

    created: str
    verdict: str
    full: bool
    digests: Digests
    ignored: dict[str, str] = field(default_factory=dict)
    probes: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, report: Report, digests: Digests) -> "Receipt":
        selection = report.selection
        ignored, probes = dict(selection.ignored), statuses_of(report)
        return cls(report.created, str(report.verdict), selection.full, digests, ignored, probes)

    @property
    def signature(self) -> str:
        """One line that lets two people see whether they speak of the same run."""
        d = self.digests
        data = canonical([asdict(roll) for roll in (*d.manifests.values(), d.audio)])
        parts = {
            "config": canonical(d.config),
            "data": data,
            "weights": canonical(d.weights),
            "code": canonical(d.code),
        }
        told = " ".join(f"{name}:{short_sha256(value.encode())[:6]}" for name, value in parts.items())
        scope = "full" if self.full else "part"
        return f"{self.verdict} {scope} {told} torch:{d.versions['torch']} {d.device}"

    def to_json(self) -> str:
        kept = {key: value for key, value in asdict(self).items() if key != "digests"}
        digests = {key: value for key, value in asdict(self.digests).items() if key != "audio_names"}
        return json.dumps({"schema": SCHEMA, "signature": self.signature, **kept, **digests}, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Receipt":
        """Raises ValueError, KeyError or TypeError on anything that is not a receipt of this version."""
        told: Any = json.loads(text)
        if not isinstance(told, dict) or told.pop("schema", "") != SCHEMA or not told.pop("signature"):
            raise ValueError(f"not of schema {SCHEMA}")
        if not all(isinstance(told[name], dict) for name in TABLES):
            raise TypeError(f"expected tables in {', '.join(TABLES)}")
        told["manifests"] = {path: ItemDigests(**roll) for path, roll in told["manifests"].items()}
        told["audio"] = ItemDigests(**told["audio"])
        own = {name: told.pop(name) for name in ("created", "verdict", "full", "ignored", "probes")}
        return cls(digests=Digests(**told), **own)


def why_rejected(receipt: Receipt) -> str:
    """Why this receipt opens no gate, whatever the run; nothing when it does."""
    if not receipt.full:
        return "the preflight was limited to some stages or probes"
    if receipt.verdict != Verdict.GO:
        return f"its verdict was {receipt.verdict}"
    return unexamined_stage(receipt.probes)


def unexamined_stage(probes: Mapping[str, str]) -> str:
    """The stage that a go must rest on and that no probe could look at; nothing when there is none."""
    for stage in MUST_HAVE_LOOKED:
        statuses = [status for id, status in probes.items() if id.startswith(PREFIXES[stage])]
        if statuses and not {Status.PASSED, Status.FOUND}.intersection(statuses):
            return f"no probe of the stage {stage} could look"
    return ""


def statuses_of(report: Report) -> dict[str, str]:
    return {outcome.probe: str(outcome.status) for outcome in report.outcomes}


def mismatches(receipt: Receipt, now: Digests, resumed: bool = False) -> list[str]:
    """What no longer matches, precisely, one sentence each. A resumed run brings its own weights and may move house."""
    then = receipt.digests
    told = [*_config(then, now), *_data(then, now), *digest_changes("code", then.code, now.code)]
    if not resumed:
        told += [*digest_changes("weights", then.weights, now.weights), *_machine(then, now)]
    return told


def _config(then: Digests, now: Digests) -> Iterator[str]:
    for key in sorted(then.config.keys() | now.config.keys()):
        was, is_ = then.config.get(key, "absent"), now.config.get(key, "absent")
        if was != is_:
            yield f"configuration: {key} was {was}, is {is_}"


def _data(then: Digests, now: Digests) -> Iterator[str]:
    nothing = ItemDigests.of(())
    for path in sorted(then.manifests.keys() | now.manifests.keys()):
        old, new = then.manifests.get(path, nothing), now.manifests.get(path, nothing)
        if told := difference(old, new, lambda at: f"line {at + 1}"):
            yield f"manifest {path}: {told}"
    if told := difference(then.audio, now.audio, lambda at: _audio_name(now, at)):
        yield f"audio: {told}"


def _audio_name(digests: Digests, at: int) -> str:
    """Between two receipts the names are not kept: audio is counted in the order of the manifests' rows."""
    return digests.audio_names[at] if digests.audio_names else f"file {at + 1}"


def digest_changes(what: str, then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """Each name whose digest or version differs, with what became of it."""
    for name in sorted(then.keys() | now.keys()):
        if name not in now:
            yield f"{what}: {name} has gone"
        elif name not in then:
            yield f"{what}: {name} is new"
        elif then[name] != now[name]:
            yield f"{what}: {name} changed"


def _machine(then: Digests, now: Digests) -> Iterator[str]:
    for name in sorted(then.versions.keys() | now.versions.keys()):
        was, is_ = then.versions.get(name, "absent"), now.versions.get(name, "absent")
        if was != is_:
            yield f"version: {name} was {was}, is {is_}"
    if then.device != now.device:
        yield f"device: was {then.device}, is {now.device}"

"""The receipt of a preflight: what was looked at, what came of it, and the digests of everything it vouches for."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from diagnose.common.flat_keys import differences
from diagnose.engine.report import Report
from diagnose.engine.types import Stage, Status, Verdict
from diagnose.gate.digests import Digests, canonical, short_sha256
from diagnose.gate.item_digests import ItemDigests, difference
from diagnose.gate.seal import sealed, unsealed

SCHEMA = "gonogo/receipt/2"
TABLES = ("config", "manifests", "audio", "weights", "code", "versions", "ignored", "probes")
REQUIRED_STAGES = (Stage.LOSS, Stage.GRADIENTS, Stage.LEARNING)


@dataclass(frozen=True)
class Receipt:
    """Plain data, kept as JSON beside the run."""

    created: str
    verdict: str
    full: bool
    digests: Digests
    ignored: dict[str, str] = field(default_factory=dict)
    probes: dict[str, str] = field(default_factory=dict)
    report: str = ""  # the digest of report.json next to it
    signed: bool = field(default=False, compare=False)  # the key of this process signed it

    @classmethod
    def of(cls, report: Report, digests: Digests) -> "Receipt":
        selection = report.selection
        ignored, probes = dict(selection.ignored), statuses_of(report)
        return cls(report.created, str(report.verdict), selection.full, digests, ignored, probes)

    @property
    def signature(self) -> str:
        """One line that shows two people whether they speak of the same run."""
        d = self.digests
        data = [asdict(digests) for digests in (*d.manifests.values(), d.audio)]
        parts = {"config": d.config, "data": data, "weights": d.weights, "code": d.code}
        words = " ".join(f"{name}:{short_sha256(canonical(part).encode())[:6]}" for name, part in parts.items())
        scope = "full" if self.full else "part"
        return f"{self.verdict} {scope} {words} torch:{d.versions['torch']} {d.device}"

    def to_json(self) -> str:
        content = asdict(self)
        content.pop("signed")
        digests = {key: value for key, value in content.pop("digests").items() if key != "audio_names"}
        head = {"schema": SCHEMA, "signature": self.signature}
        plain = json.loads(json.dumps({**head, **content, **digests}, default=str))
        return json.dumps(sealed(plain), indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Receipt":
        """Raises ValueError, KeyError or TypeError on anything that is not a receipt of this version."""
        content: Any = json.loads(text)
        if not isinstance(content, dict) or content.get("schema") != SCHEMA:
            raise ValueError(f"not of schema {SCHEMA}")
        content, signed = unsealed(content)
        if not all(isinstance(content[name], dict) for name in TABLES):
            raise TypeError(f"expected tables in {', '.join(TABLES)}")
        content["manifests"] = {path: ItemDigests(**item) for path, item in content["manifests"].items()}
        content["audio"] = ItemDigests(**content["audio"])
        if content.get("audio_content"):
            content["audio_content"] = ItemDigests(**content["audio_content"])
        own = {name: content.pop(name) for name in ("created", "verdict", "full", "ignored", "probes", "report")}
        del content["schema"], content["signature"]
        return cls(digests=Digests(**content), signed=signed, **own)


def why_rejected(receipt: Receipt) -> str:
    """Why this receipt opens no gate, whatever the run; nothing when it does."""
    if not receipt.full:
        return "the preflight was limited to some stages or probes"
    if receipt.verdict != Verdict.GO:
        return f"its verdict was {receipt.verdict}"
    return unexamined_stage(receipt.probes)


def unexamined_stage(probes: Mapping[str, str]) -> str:
    """The stage that a go must rest on and that no probe could look at; nothing when there is none."""
    for stage in REQUIRED_STAGES:
        statuses = [status for id, status in probes.items() if id.startswith(stage.prefix)]
        if statuses and not {Status.PASSED, Status.FOUND}.intersection(statuses):
            return f"no probe of the stage {stage} could run"
    return ""


def statuses_of(report: Report) -> dict[str, str]:
    return {outcome.probe: str(outcome.status) for outcome in report.outcomes}


def mismatches(receipt: Receipt, now: Digests, resumed: bool = False) -> list[str]:
    """One sentence per digest that changed; a resumed run may change weights, versions and device."""
    then = receipt.digests
    sentences = [f"configuration: {change}" for change in value_changes(then.config, now.config)]
    sentences += [*_data_changes(then, now), *digest_changes("code", then.code, now.code)]
    if resumed:
        return sentences
    sentences += _weight_changes(then, now)
    sentences += [f"version: {change}" for change in value_changes(then.versions, now.versions)]
    return sentences + [f"device: was {then.device}, is {now.device}"] * (then.device != now.device)


def value_changes(then: Mapping[str, Any], now: Mapping[str, Any], mark: str = "") -> Iterator[str]:
    """`name was 1, is 2` for each name whose value differs; `mark` stands after the name."""
    return (f"{name}{mark} was {old}, is {new}" for name, old, new in sorted(differences(then, now, "absent")))


def _data_changes(then: Digests, now: Digests) -> Iterator[str]:
    nothing = ItemDigests.of(())
    for path in sorted(then.manifests.keys() | now.manifests.keys()):
        old, new = then.manifests.get(path, nothing), now.manifests.get(path, nothing)
        if change := difference(old, new, lambda index: f"line {index + 1}"):
            yield f"manifest {path}: {change}"
    old, new = then.audio, now.audio
    if old != new and then.audio_content and now.audio_content:
        old, new = then.audio_content, now.audio_content
    if change := difference(old, new, lambda index: _audio_name(now, index)):
        yield f"audio: {change}"


def _weight_changes(then: Digests, now: Digests) -> Iterator[str]:
    old, new = then.weights, now.weights
    if old != new and then.weights_content and now.weights_content:
        old, new = then.weights_content, now.weights_content
    return digest_changes("weights", old, new)


def _audio_name(digests: Digests, index: int) -> str:
    """Between two receipts the names are not kept: audio is counted in the order of the manifests' rows."""
    return digests.audio_names[index] if digests.audio_names else f"file {index + 1}"


def digest_changes(what: str, then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """Each name whose digest or version differs, with what became of it."""
    for name, old, new in sorted(differences(then, now)):
        yield f"{what}: {name} {'is missing' if new is None else 'is new' if old is None else 'changed'}"

"""The receipts of one output folder: that of the run itself, and one for each other configuration that was looked at.

<output>/preflight/ holds the receipt of the run. A what-if, the same run with other settings, must not take its place:
it goes to <output>/preflight/<digest of its configuration>/, and is copied when a run starts with these settings.
"""

from collections.abc import Iterator
from pathlib import Path

from diagnose.common.errors import InputError
from diagnose.gate.digests import DigestInputs, Digests, canonical, flat_config, short_sha256
from diagnose.gate.output_folder import PreflightFolder
from diagnose.gate.receipt import Receipt, mismatches, why_rejected
from diagnose.gate.seal import KEY, signing_key

NAMED = 5  # changes in the log; diagnose diff lists them all


def run_folder(inputs: DigestInputs) -> PreflightFolder:
    """The folder of the run itself."""
    return PreflightFolder(inputs.output_dir / "preflight")


def what_if_folder(inputs: DigestInputs) -> PreflightFolder:
    """The folder of this configuration."""
    name = short_sha256(canonical(flat_config(inputs.config)).encode())
    return PreflightFolder(inputs.output_dir / "preflight" / name)


def folder_to_write(inputs: DigestInputs) -> PreflightFolder:
    """That of the run, unless a receipt of another configuration lies there that opens the gate."""
    receipt = run_folder(inputs).opening_receipt()
    other = receipt is not None and receipt.digests.config != flat_config(inputs.config)
    return what_if_folder(inputs) if other else run_folder(inputs)


def latest_folder(output_dir: Path) -> PreflightFolder:
    """The folder with the newest report; that of the run if there is none."""
    run = output_dir / "preflight"
    reports = sorted((run / "report.json", *run.glob("*/report.json")), key=_modified)
    return PreflightFolder(reports[-1].parent if _modified(reports[-1]) else run)


def _modified(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


def find_receipt(
    inputs: DigestInputs, resumed: bool = False, signed: bool = False
) -> tuple[PreflightFolder, Receipt] | str:
    """The receipt that opens the gate for this run with the folder it lies in, or why there is none."""
    reasons = []
    for folder in _with_receipt(inputs):
        found = _accepted(folder, inputs, resumed)
        if isinstance(found, Receipt):
            return folder, found
        reasons.append(found)
    return reasons[0] if reasons else "this run has no receipt yet"


def _with_receipt(inputs: DigestInputs) -> Iterator[PreflightFolder]:
    return (folder for folder in (what_if_folder(inputs), run_folder(inputs)) if folder.receipt.exists())


def _accepted(folder: PreflightFolder, inputs: DigestInputs, resumed: bool) -> Receipt | str:
    try:
        receipt, key = folder.proven_receipt(), signing_key()
    except InputError as error:
        return error.message
    if closed := why_rejected(receipt):
        return f"the receipt of {receipt.created} opens no gate: {closed}"
    if key and not receipt.signed:
        return f"the receipt of {receipt.created} is not signed with the key of {KEY}"
    if changed := changes_since(receipt, inputs, resumed):
        more = f"; and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
        return f"the receipt of {receipt.created} is no longer valid: {'; '.join(changed[:NAMED])}{more}"
    return receipt


def changes_since(receipt: Receipt, inputs: DigestInputs, resumed: bool = False) -> list[str]:
    """What changed since a receipt; contents are read only where sizes or times differ, as after a copy."""
    then, now = receipt.digests, Digests.of(inputs, receipt.digests.strict)
    if then.audio != now.audio or then.weights != now.weights:
        now = now.with_content(inputs)
    return mismatches(receipt, now, resumed)


def keep_for_run(inputs: DigestInputs, resumed: bool = False) -> None:
    """The run starts: the receipt that opened the gate is now that of the run."""
    found = find_receipt(inputs, resumed)
    if not isinstance(found, str) and found[0] != run_folder(inputs):
        found[0].copy_to(run_folder(inputs))

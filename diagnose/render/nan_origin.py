"""What `diagnose nan-bisect` prints: the origin of a non-finite value, or the operations inside one module."""

from collections.abc import Iterator, Sequence
from typing import Any

from diagnose.engine.types import Finding


def finding_lines(finding: Finding) -> Iterator[str]:
    yield f"{finding.probe} {finding.severity}  {finding.where}"
    more = f"more: diagnose explain {finding.probe}"
    yield from (f"  {text}" for text in (finding.message, f"fix: {finding.fix}", more))


def origin_lines(origin: Any) -> Iterator[str]:
    """The verdict, then the way there as a tree."""
    yield "ORIGIN"
    if origin.finding is not None:
        yield from finding_lines(origin.finding)
    yield f"phase      {origin.phase} ({origin.precision})"
    yield f"operation  {origin.operation or 'none: present before the step'}"
    if origin.batch is not None:
        yield f"batch      {origin.batch}"
    if origin.line:
        yield f"line       {origin.line}"
    if origin.visits:
        yield "the last modules before it"
    for visit in origin.visits:
        yield f"  {visit.module} ({visit.kind}, call {visit.call})"
        yield from (f"    {value}" for value in visit.values)


def operation_lines(module: str, operations: Sequence[Any]) -> Iterator[str]:
    if not operations:
        yield f"{module} ran no operation in this batch"
    for operation in operations:
        yield f"{operation.module} {operation.name}  {operation.line}"
        yield from (f"    {value}" for value in operation.values)

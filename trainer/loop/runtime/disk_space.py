"""A full disk as one sentence: what was being written, how much it needs, how much is free."""

import errno
import os
import re
import shutil
from pathlib import Path

from diagnose.common.errors import InputError

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
# safetensors puts the errno into its text; torch's zip writer only says that it could not go on
TEXT = re.compile(r"os error (?P<number>\d+)\)|inline_container|PytorchStreamWriter")


def disk_full_reason(error: BaseException) -> str | None:
    """The system's message if an error means a full disk; None for any other error."""
    if isinstance(error, OSError) and error.errno is not None:
        return os.strerror(error.errno) if error.errno in FULL else None
    match = TEXT.search(str(error))
    if match is None:
        return None
    number = int(match["number"] or errno.ENOSPC)
    return os.strerror(number) if number in FULL else None


def require_room(directory: Path, needed: int, what: str) -> None:
    """Refuse before the first byte if there is not enough space."""
    directory.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(directory).free < needed:
        raise disk_full_error(directory, needed, what, os.strerror(errno.ENOSPC))


def disk_full_error(directory: Path, needed: int, what: str, reason: str) -> InputError:
    """The error, with needed and free bytes and the remedy."""
    free = shutil.disk_usage(directory).free
    return InputError(
        f"{what} could not be written to {directory} ({reason}): it needs about {needed / 1e6:,.1f} MB, "
        f"{free / 1e6:,.1f} MB are free; earlier checkpoints are complete, so free disk space (or lower "
        "training.save_total_limit) and continue with --resume auto"
    )

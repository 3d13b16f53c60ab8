"""Reading a text file strictly: its encoding and the line of what is wrong."""

from difflib import get_close_matches
from pathlib import Path

from diagnose.common.errors import InputError

UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_text(path: Path, refuse_nul: bool = True) -> str:
    """The text of a UTF-8 file, with or without a byte-order mark; refuses any other file."""
    data = _read_bytes(path)
    if data.startswith(UTF16_MARKS):
        raise InputError(f"{path}: found UTF-16, expected UTF-8; save it again as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where, found = _line(data, error.start), f"byte 0x{data[error.start]:02X} at offset {error.start}"
        raise InputError(f"{path}, line {where}: found {found}, expected UTF-8; save it again as UTF-8") from error
    if refuse_nul and "\0" in text:
        where = _line(data, data.index(0))
        raise InputError(f"{path}, line {where}: found a NUL byte, expected text; export the file again")
    return text


def _read_bytes(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise InputError(f"{path}: found a folder, expected a file; pass the file inside it")
        if not path.exists():
            raise InputError(f"{path}: there is no such file{_nearest_name(path)}; check the path")
        if not path.is_file():
            raise InputError(f"{path}: found a pipe or a device, expected a file; save its output to a file first")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path and its permissions") from error


def _nearest_name(path: Path) -> str:
    names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    close = get_close_matches(path.name, names, n=1)
    return f" (there is {close[0]})" if close else ""


def _line(data: bytes, offset: int) -> int:
    before = data[:offset]
    return 1 + before.count(b"\n") + before.replace(b"\r\n", b"").count(b"\r")

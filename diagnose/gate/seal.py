"""The seal of a receipt: a digest over all of its fields, and an HMAC where there is a signing key."""

import hashlib
import hmac
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError
from diagnose.gate.digests import canonical

KEY, KEY_FILE = "GONOGO_SIGNING_KEY", "GONOGO_SIGNING_KEY_FILE"
SHORTEST = 16  # bytes; a random key of 128 bits cannot be guessed
DIGEST, HMAC = "digest", "hmac"


def signing_key() -> bytes | None:
    """The key of the environment or of the file that it names; None where there is none."""
    text, path = os.environ.get(KEY, ""), os.environ.get(KEY_FILE, "")
    try:
        key = text.strip().encode() or (Path(path).read_bytes().strip() if path else b"")
    except OSError as error:
        raise InputError(f"{KEY_FILE} names {path}, which cannot be read ({error.strerror}); correct it") from error
    if key and len(key) < SHORTEST:
        name = KEY if text.strip() else KEY_FILE
        raise InputError(
            f"{name}: the key has {len(key)} bytes, expected at least {SHORTEST}; use openssl rand -hex 32"
        )
    return key or None


def require_signing_key() -> None:
    """Refuses to go on without a key."""
    if signing_key() is None:
        raise InputError(f"--require-signed needs a key: set {KEY}, or {KEY_FILE} to the file that holds it")


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with its digest, and with its HMAC where there is a key."""
    digest, key = _digest(content), signing_key()
    return {**content, DIGEST: digest, HMAC: _hmac(digest, key) if key else ""}


def unsealed(content: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """The content without its seal, and whether our key signed it; raises ValueError if it was changed since."""
    plain = {name: value for name, value in content.items() if name not in (DIGEST, HMAC)}
    digest, signature, key = content[DIGEST], content[HMAC], signing_key()
    if digest != _digest(plain):
        raise ValueError("it was edited or cut: its digest does not match its content")
    if signature and key and not hmac.compare_digest(str(signature), _hmac(digest, key)):
        raise ValueError("it was edited, or signed with another key: its HMAC does not match")
    return plain, bool(signature and key)


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(content).encode()).hexdigest()


def _hmac(digest: str, key: bytes) -> str:
    return hmac.new(key, digest.encode(), hashlib.sha256).hexdigest()

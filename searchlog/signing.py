"""The key that signs heads on this machine: its file, and signatures with it.

    PRIVATE+KEY+NAME+ID+KEY        one line, mode 600, as Go's note package writes it; KEY is base64 of the type (1,
                                   Ed25519) and the 32 secret bytes of RFC 8032 section 5.1.5

A signature says that a holder of this key wrote or saw a head, and no more. The secret half leaves this module by no
way but its file: the keyring knows it from the moment it is made or read, and takes it out of whatever is written or
shown. Signing needs the extra `sign` (the library cryptography); checking signatures needs nothing (`log.note`).
Effects: reads and writes the key's file, and draws randomness. Spec: C2SP signed-note.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from searchlog import keyring
from searchlog.errors import FormatError, MissingError, StoreError, UsageError
from searchlog.log.durable import sync_folder, write_durably
from searchlog.log.note import (
    ED25519,
    Note,
    Signature,
    VerifierKey,
    check_name,
    format_note,
    format_vkey,
    strict_base64,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["Signer", "default_place", "load_key", "new_key"]

_FORM = re.compile(r"PRIVATE\+KEY\+([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})\n?")
_FILE_MAX = 4096


@dataclass(frozen=True, slots=True)
class Signer:
    """A key that can sign. Shown, it is its public half."""

    key: VerifierKey
    _private: Ed25519PrivateKey = field(repr=False)

    @property
    def vkey(self) -> str:
        """Return the verifier key, to be given to others."""
        return format_vkey(self.key)

    def sign(self, text: str) -> str:
        """Return the signed note of a text, which ends with a newline. Raises FormatError for what no note can hold."""
        value = self._private.sign(text.encode("utf-8", "surrogatepass"))
        return format_note(Note(text, (Signature(self.key.name, self.key.id, value),)))


def default_place() -> Path:
    """Return where the key lies when nobody says: SEARCHLOG_SIGNING_KEY, else `signing.key` in the settings folder."""
    return Path(keyring.signing_place(os.environ))


def new_key(path: Path, name: str | None = None) -> str:
    """Make a key, keep it in a new file, and return its verifier key.

    name: without one, it is named after the key itself. Raises UsageError where there is a file already, or the extra
    is missing; FormatError for a name that no key can have; StoreError.
    """
    from_seed = _library()
    if name is not None:
        check_name(name)
    seed = os.urandom(32)
    private = from_seed(seed)
    public = private.public_key().public_bytes_raw()
    key = VerifierKey(name or f"searchlog-key-{hashlib.sha256(public).hexdigest()[:8]}", public)
    secret = base64.b64encode(bytes([ED25519]) + seed).decode("ascii")
    keyring.hold([secret])
    if os.path.lexists(path):
        raise UsageError(f"there is a file at {path}: a key is never overwritten; give another place")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_durably(path, f"PRIVATE+KEY+{key.name}+{key.id.hex()}+{secret}\n".encode())  # only where there is no file
        sync_folder(path.parent)
    except OSError as error:
        raise StoreError(f"cannot write the key to {path}: {error.strerror or error}", path=str(path)) from None
    return format_vkey(key)


def load_key(path: Path) -> Signer:
    """Return the key in a file. Raises MissingError where there is none, UsageError where others may read it or the
    extra is missing, FormatError for a file that holds no key of ours, StoreError."""
    from_seed = _library()
    text = _read(path)
    found = _FORM.fullmatch(text)
    raw = strict_base64(found[3]) if found else None
    if not found or raw is None or raw[:1] != bytes([ED25519]) or len(raw) != 33:
        raise FormatError(f"{path} holds no private key for Ed25519 as `searchlog key new` writes it", path=str(path))
    keyring.hold([found[3]])
    check_name(found[1])
    private = from_seed(raw[1:])
    key = VerifierKey(found[1], private.public_key().public_bytes_raw())
    if key.id.hex() != found[2]:
        raise FormatError(f"the key in {path} has the id {found[2]}; expected {key.id.hex()}", path=str(path))
    return Signer(key, private)


def _read(path: Path) -> str:
    try:
        with open(path, "rb", opener=_waiting_for_nobody) as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise FormatError(f"{path} is no file that could hold a key", path=str(path))
            if os.name == "posix" and about.st_mode & 0o077:
                raise UsageError(f"others may read the key in {path}: chmod 600 {path}, or make a new one")
            return file.read(_FILE_MAX).decode("utf-8")
    except UnicodeDecodeError:
        raise FormatError(f"{path} holds no key: it is no text", path=str(path)) from None
    except FileNotFoundError:
        raise MissingError(f"no key at {path}: `searchlog key new` makes one", path=str(path)) from None
    except OSError as error:
        raise StoreError(f"cannot read the key in {path}: {error.strerror or error}", path=str(path)) from None


def _waiting_for_nobody(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe would be waited for


def _library() -> Callable[[bytes], Ed25519PrivateKey]:
    """Return what makes a private key of its 32 secret bytes."""
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError as error:
        raise UsageError(f"signing needs an extra ({error}): pip install 'searchlog[sign]'") from None
    return Ed25519PrivateKey.from_private_bytes

"""Exporting: a planned snapshot written to a file, whole or not at all, and kept in the archive's log of exports."""

from __future__ import annotations

import base64
import contextlib
import os
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from searchlog.errors import StoreError, UsageError
from searchlog.ledger import Ledger
from searchlog.log.checkpoint import ORIGIN_PREFIX, Checkpoint, format_checkpoint
from searchlog.log.durable import sync_folder
from searchlog.log.token import read_token
from searchlog.records import Export
from searchlog.sharing import Sharing
from searchlog.snapshot.export import Seal, Snapshot, write_snapshot
from searchlog.snapshot.plan import Plan

__all__ = ["Exported", "Signing", "export"]

Progress = Callable[[int, int], None]


class Signing(Protocol):
    """Whoever signs a head: `searchlog.signing.Signer`."""

    @property
    def vkey(self) -> str:
        """The verifier key."""

    def sign(self, text: str) -> str:
        """Return the signed note of a text."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A snapshot that was written."""

    path: Path
    snapshot: Snapshot
    plan: Plan
    kept: str | None = None
    """Why the export could not be kept in the archive's log; None when it was."""


def export(
    ledger: Ledger,
    plan: Plan,
    path: Path,
    sharing: Sharing,
    *,
    signer: Signing | None = None,
    tokens: Sequence[bytes] = (),
    overwrite: bool = False,
    progress: Progress = lambda done, total: None,
) -> Exported:
    """Write what was planned to a file, and note it.

    Raises UsageError for a file that is there already, a token of another head, or what is too large for a snapshot;
    StoreError when it cannot be written, FormatError for a record that cannot be, MissingError, IntegrityError when a
    blob went away since it was planned. Then no file is left.
    """
    _refuse_place(path, overwrite, sharing.storage.folder)
    text = format_checkpoint(Checkpoint(ORIGIN_PREFIX + ledger.session, plan.frontier.size, plan.frontier.root))
    for number, token in enumerate(tokens, 1):
        if not read_token(token, text).imprint_ok:
            said = f"token {number} is of another head than that of the {plan.frontier.size} records that were planned"
            raise UsageError(f"{said} of session {ledger.session}")

    def seal(text: str) -> Seal:
        if signer is None:
            return Seal(text, tokens=tuple(tokens))
        return Seal(signer.sign(text), (signer.vkey,), tuple(tokens))

    temp = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        with temp.open("xb+") as file:
            snapshot = write_snapshot(file, plan, ledger.blobs, seal, progress)
            file.flush()
            os.fsync(file.fileno())
        temp.replace(path)
        sync_folder(path.absolute().parent)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}", path=str(path)) from None
    finally:
        with contextlib.suppress(OSError):
            temp.unlink(missing_ok=True)
    return Exported(path, snapshot, plan, _note(sharing, plan, snapshot, path, signer))


def _refuse_place(path: Path, overwrite: bool, folder: Path | None) -> None:
    """Raise UsageError for a place that nothing is to be written to, StoreError for one that cannot be looked at."""
    if "\0" in str(path):
        raise StoreError(f"cannot write {str(path)!r:.200}: a name has no NUL", path=str(path))
    try:
        there, is_file, is_folder = os.path.lexists(path), path.is_file(), path.is_dir()
        within = folder is not None and path.absolute().parent.resolve().is_relative_to(folder)
    except OSError as error:
        raise StoreError(f"cannot write {str(path)!r:.200}: {error.strerror or error}", path=str(path)) from None
    if is_folder or (there and not is_file and path.exists()):
        raise UsageError(f"{path} is {'a folder' if is_folder else 'no file'}: give the name of a file", path=str(path))
    if within:
        raise UsageError(f"{path} lies in the archive's own folder: write it elsewhere", path=str(path))
    if there and not overwrite:
        said = f"{path} is there already: give another name, or --force (`overwrite` in Python) to write over it"
        raise UsageError(said, path=str(path))


def _note(sharing: Sharing, plan: Plan, snapshot: Snapshot, path: Path, signer: Signing | None) -> str | None:
    """Keep the export in the log; return why not, for an archive that can only be read."""
    about = plan.description
    body = Export(
        session=about.session,
        snapshot=snapshot.name,
        size=snapshot.checkpoint.size,
        root=base64.b64encode(snapshot.checkpoint.root).decode("ascii"),
        scope=about.scope.to_json(),
        profile=about.profile,
        redaction=list(about.redaction),
        signed_by=[signer.vkey] if signer else [],
        file=path.name,
    )
    try:
        sharing.note(body)
    except StoreError as error:
        return str(error)
    return None

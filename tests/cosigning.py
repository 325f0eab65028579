"""Keys and notes made for tests: what signers and witnesses write, with the library cryptography."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from searchlog.log.checkpoint import Checkpoint, format_checkpoint
from searchlog.log.cosignature import WitnessKey, cosigned_text, format_witness
from searchlog.log.note import Note, Signature, VerifierKey, format_note, format_vkey

__all__ = ["TIME", "Party", "noted", "signer", "witness"]

TIME = 1_767_323_045
"""2026-01-02T03:04:05Z."""


@dataclass(frozen=True)
class Party:
    """Somebody with a key, as a signer and as a witness."""

    private: Ed25519PrivateKey
    name: str

    @property
    def public(self) -> bytes:
        return self.private.public_key().public_bytes_raw()

    @property
    def key(self) -> VerifierKey:
        return VerifierKey(self.name, self.public)

    @property
    def witness(self) -> WitnessKey:
        return WitnessKey(self.name, self.public)

    @property
    def vkey(self) -> str:
        return format_vkey(self.key)

    @property
    def witness_vkey(self) -> str:
        return format_witness(self.witness)

    def signs(self, text: str) -> Signature:
        return Signature(self.name, self.key.id, self.private.sign(text.encode()))

    def cosigns(self, text: str, seconds: int = TIME) -> Signature:
        value = seconds.to_bytes(8, "big") + self.private.sign(cosigned_text(text, seconds))
        return Signature(self.name, self.witness.id, value)


def signer(name: str = "example.com/me") -> Party:
    return Party(Ed25519PrivateKey.from_private_bytes(b"s" * 32), name)


def witness(name: str = "witness.example/w1") -> Party:
    return Party(Ed25519PrivateKey.from_private_bytes(b"w" * 32), name)


def noted(head: Checkpoint, signatures: Sequence[Signature]) -> str:
    """Return the note of a head with these signatures."""
    return format_note(Note(format_checkpoint(head), tuple(signatures)))

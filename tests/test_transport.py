"""The TLS context of this process: what it trusts, and that the environment has no say in it."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from searchlog.capture import transport


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No context was made yet."""
    monkeypatch.setattr(transport, "_context", None)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("place", ["keys.txt", "absent/keys.txt"], ids=["can-be-written", "cannot"])
def test_the_keys_of_a_connection_are_written_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """The context honoured SSLKEYLOGFILE: it wrote the keys of each connection there, or failed when it could not."""
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / place))
    assert transport.shared_ssl_context().keylog_filename is None
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("fresh")
def test_the_context_checks_names_and_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    context = transport.shared_ssl_context()
    assert context.check_hostname
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
    assert context.cert_store_stats()["x509_ca"] > 50
    assert transport.shared_ssl_context() is context

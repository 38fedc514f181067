"""Signed requests: HTTP message signatures (RFC 9421) by the profile of Web Bot Auth.

    Signature-Agent: sig1="https://crawler.example"
    Signature-Input: sig1=("@authority" "signature-agent";key="sig1");created=...;expires=...;keyid="...";...
    Signature:       sig1=:...:

A server reads the key where Signature-Agent says, and verifies that a request comes from the crawler. An origin stands
for the directory at its well-known path, by draft-ietf-webbotauth-httpsig-protocol-00; any other URL is that of the
directory itself, by -01. Each request has a signature of its own.
"""

import os
import time
from base64 import b64encode
from collections.abc import Callable, Sequence

from minicrawl.crawler.http.signing_keys import SigningKey
from minicrawl.crawler.http.transport import Field, replaced

LASTS = 300
"""Seconds for which the signature of a request is valid: clocks differ, and a proxy may hold a request up."""
_NONCE = 64  # bytes: no two requests of a crawler have the same signature
_LABEL = "sig1"


class Signer:
    """Signs requests. agent: the origin or the URL that publishes the key. clock: Unix seconds."""

    def __init__(self, key: SigningKey, agent: str, clock: Callable[[], float] = time.time) -> None:
        self._key = key
        self._agent = f'"{agent}"'
        self._clock = clock

    def signed(self, fields: Sequence[Field]) -> Sequence[Field]:
        """The header fields of a request, with a signature."""
        host = next(value.decode("latin-1") for name, value in fields if name.lower() == b"host")
        return replaced(fields, self.fields(host.lower()))

    def fields(self, authority: str) -> tuple[Field, ...]:
        """Header fields for one request. authority: the value of its Host (RFC 9421 2.2.3)."""
        created = int(self._clock())
        nonce = b64encode(os.urandom(_NONCE)).decode()
        components = [('"@authority"', authority), (f'"signature-agent";key="{_LABEL}"', self._agent)]
        parameters = (
            f'("@authority" "signature-agent";key="{_LABEL}");created={created};expires={created + LASTS}'
            f';keyid="{self._key.id}";alg="ed25519";nonce="{nonce}";tag="web-bot-auth"'
        )
        return (
            (b"Signature-Agent", f"{_LABEL}={self._agent}".encode()),
            (b"Signature-Input", f"{_LABEL}={parameters}".encode()),
            (b"Signature", f"{_LABEL}={self._key.signature(components, parameters)}".encode()),
        )

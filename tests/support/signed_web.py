"""A small web that answers signed requests only, as sites behind a firewall do that knows Web Bot Auth.

Signatures are verified by another implementation of RFC 9421, against the directory that a crawler publishes.
"""

import json
import time
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from http_message_signatures import (
    HTTPMessageVerifier,
    HTTPSignatureComponentResolver,
    HTTPSignatureKeyResolver,
    InvalidSignature,
    algorithms,
)
from support.small_web import Pages, small_web

AGENT = "https://crawler.example"
WANTED = 'sig1=("@authority" "signature-agent");tag="web-bot-auth"'


class Directory(HTTPSignatureKeyResolver):
    """The public keys of a directory, by their ids."""

    def __init__(self, directory: bytes) -> None:
        keys = json.loads(directory)["keys"]
        assert all((key["kty"], key["crv"], key["use"]) == ("OKP", "Ed25519", "sig") for key in keys)
        self._keys = {key["kid"]: urlsafe_b64decode(key["x"] + "=") for key in keys}

    def resolve_public_key(self, key_id: str) -> Ed25519PublicKey:
        return Ed25519PublicKey.from_public_bytes(self._keys[key_id])

    def resolve_private_key(self, key_id: str) -> Any:
        raise NotImplementedError


class _Components(HTTPSignatureComponentResolver):
    """Resolves @authority by the Host of the request, as the client sees it."""

    def get_authority(self) -> str:
        return str(self.message.headers["host"]).lower()  # RFC 9421 2.2.3


def verified(headers: dict[str, str], keys: Directory, agent: str = AGENT) -> dict[str, Any]:
    """The parameters of the signature of a request. headers: by name in lower case. Raises InvalidSignature, and
    AssertionError for a request outside the profile of Web Bot Auth."""
    message = SimpleNamespace(method="GET", url=f"http://{headers['host']}/", headers=headers)
    verifier = HTTPMessageVerifier(
        signature_algorithm=algorithms.ED25519, key_resolver=keys, component_resolver_class=_Components
    )
    (result,) = verifier.verify(message, expect_tag="web-bot-auth")
    assert result.covered_components['"@authority"'] == headers["host"].lower()
    assert result.covered_components['"signature-agent";key="sig1"'] == f'"{agent}"'
    assert headers["signature-agent"] == f'sig1="{agent}"'
    parameters = dict(result.parameters)
    created, expires = int(parameters["created"]), int(parameters["expires"])
    assert created <= time.time() < expires <= created + 24 * 3600
    assert parameters.keys() == {"created", "expires", "keyid", "alg", "nonce", "tag"}
    return parameters


class SignedPages(Pages):
    """Pages for signed requests; any other is refused, and told what is missing."""

    keys: Directory
    nonces: list[str]
    refused: list[str]

    def do_GET(self) -> None:  # noqa: N802 - the name that http.server calls
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            self.nonces.append(verified(headers, self.keys)["nonce"])
        except (KeyError, AssertionError, InvalidSignature) as error:
            self.refused.append(f"{headers['host']}{self.path}: {error!r}")
            self.answer(403, b"", ("Accept-Signature", WANTED))
        else:
            self.found()

    def found(self) -> None:
        """Answer a signed request."""
        if self.path == "/robots.txt":
            self.answer(302, b"", ("Location", "/rules"))
        elif self.path == "/about":
            self.answer(301, b"", ("Location", "/contact"))
        else:
            super().do_GET()


@contextmanager
def signed_web(directory: bytes, pages: type[SignedPages] = SignedPages) -> Iterator[tuple[int, type[SignedPages]]]:
    """Serve it for as long as the block runs, and yield the port and the class that notes what came."""
    keys = Directory(directory)
    noting = type("Noting", (pages,), {"keys": keys, "nonces": [], "refused": []})
    with small_web(noting) as port:
        yield port, noting

"""Ed25519 keys that sign requests: made, read, and published; HTTP message signatures by the profile of Web Bot Auth
(docs/identity.md).

A key is a PKCS #8 PEM file that its owner alone may read. Its directory is a JSON Web Key Set (RFC 7517, RFC 8037) at a
well-known path of the crawler's own origin. Each request has a signature of its own (RFC 9421), and Signature-Agent
says where the key is: an origin stands for the directory at its well-known path, by
draft-ietf-webbotauth-httpsig-protocol-00; any other URL is that of the directory itself, by -01.
"""

import json
import os
import shlex
import stat
import time
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from minicrawl.errors import SettingError
from minicrawl.web.http.response_fields import Field
from minicrawl.web.http.transport import replaced

Component = tuple[str, str]
"""Identifier of a message component as RFC 9421 2 spells it, such as "@authority" in quotes, and its value."""
MEDIA_TYPE = "application/http-message-signatures-directory+json"
PATH = "/.well-known/http-message-signatures-directory"
"""The path of a directory at the crawler's origin."""
PROOF_LASTS = 90 * 86_400
"""Seconds for which the signatures of a directory are valid."""
_CACHED = 86_400  # seconds for which verifiers may keep a directory
_LONGEST = 64 * 1024  # bytes of a key file


class SigningKey(NamedTuple):
    """A key pair. id: the thumbprint of the public key, by which verifiers find it. public: 32 bytes."""

    id: str
    public: bytes
    private: Ed25519PrivateKey

    def signature(self, components: Sequence[Component], parameters: str) -> str:
        """The signature of a message, as a byte sequence of structured fields. parameters: those that Signature-Input
        has for it, with the list of the components."""
        signed = [*components, ('"@signature-params"', parameters)]
        base = "\n".join(f"{name}: {value}" for name, value in signed).encode()  # RFC 9421 2.5
        return f":{b64encode(self.private.sign(base)).decode()}:"


def thumbprint(public: bytes) -> str:
    """The thumbprint of a public key (RFC 7638 3): the digest of its required members in the order of their names."""
    members = {"crv": "Ed25519", "kty": "OKP", "x": _base64url(public)}
    return _base64url(sha256(json.dumps(members, separators=(",", ":")).encode()).digest())


def new_key(path: Path) -> SigningKey:
    """Make a key in a new file that nobody but its owner may read. Raises SettingError."""
    private = Ed25519PrivateKey.generate()
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise SettingError(f"{path} already exists, and a lost key cannot be made again; name a new file") from None
    except OSError as error:
        raise _unwritten(path, error) from error
    try:
        with open(file, "wb") as opened:
            opened.write(pem)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise _unwritten(path, error) from error
    return _of(private)


def _unwritten(path: Path, error: OSError) -> SettingError:
    return SettingError(f"the key {path} cannot be written: {error.strerror}")


def read_key(path: Path) -> SigningKey:
    """Read a key. Raises SettingError for a file that is none, or that others than its owner may use."""
    if path.exists() and not path.is_file():
        raise SettingError(f"the key {path} is not a file; 'minicrawl key new FILE' makes one")
    try:
        with path.open("rb") as file:
            mode, pem = os.fstat(file.fileno()).st_mode, file.read(_LONGEST)
    except OSError as error:
        raise SettingError(f"the key {path} cannot be read: {error.strerror}") from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise SettingError(f"the key {path} is open to others; run: chmod 600 {shlex.quote(str(path))}")
    try:
        private = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError) as error:  # TypeError: a password is needed
        raise SettingError(f"{path} is not a private key in PEM format, without a password") from error
    except UnsupportedAlgorithm:
        private = None
    if not isinstance(private, Ed25519PrivateKey):
        raise SettingError(f"{path} is not an Ed25519 key; 'minicrawl key new FILE' makes one")
    return _of(private)


def directory(keys: Sequence[SigningKey]) -> bytes:
    """The directory of some keys, as it is to be served, byte for byte."""
    jwks = [  # RFC 8037 2
        {"kty": "OKP", "crv": "Ed25519", "kid": key.id, "x": _base64url(key.public), "use": "sig"} for key in keys
    ]
    return json.dumps({"keys": jwks}, separators=(",", ":")).encode()


def directory_fields(keys: Sequence[SigningKey], authority: str, created: int) -> list[tuple[str, str]]:
    """Header fields for serving the directory, with a signature by each key: proof that the origin has the keys.
    authority: the origin's host, and port where it is not that of https. created: Unix seconds."""
    digest = f"sha-256=:{b64encode(sha256(directory(keys)).digest()).decode()}:"  # RFC 9530 2
    components = [('"@authority";req', authority), ('"content-digest"', digest)]
    covered = " ".join(name for name, _ in components)
    inputs, signatures = [], []
    for number, key in enumerate(keys, 1):
        parameters = f'({covered});created={created};expires={created + PROOF_LASTS};keyid="{key.id}"'
        parameters += ';tag="http-message-signatures-directory"'
        inputs.append(f"sig{number}={parameters}")
        signatures.append(f"sig{number}={key.signature(components, parameters)}")
    return [
        ("Content-Type", MEDIA_TYPE),
        ("Cache-Control", f"max-age={_CACHED}"),
        ("Content-Digest", digest),
        ("Signature-Input", ", ".join(inputs)),
        ("Signature", ", ".join(signatures)),
    ]


def _of(private: Ed25519PrivateKey) -> SigningKey:
    public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return SigningKey(thumbprint(public), public, private)


def _base64url(data: bytes) -> str:
    """Base64url without padding (RFC 7515 2)."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


LASTS = 300
"""Seconds for which the signature of a request is valid: clocks differ, and a proxy may hold a request up."""
_NONCE = 64  # bytes: no two requests of a crawler have the same signature
_LABEL = "sig1"


class Signer:
    """Signs requests. agent: the origin or the URL that publishes the key."""

    def __init__(self, key: SigningKey, agent: str) -> None:
        self._key = key
        self._agent = f'"{agent}"'

    def signed(self, fields: Sequence[Field]) -> Sequence[Field]:
        """The header fields of a request, with a signature."""
        host = next(value.decode("latin-1") for name, value in fields if name.lower() == b"host")
        return replaced(fields, self.fields(host.lower()))

    def fields(self, authority: str) -> tuple[Field, ...]:
        """Header fields for one request. authority: the value of its Host (RFC 9421 2.2.3)."""
        created = int(time.time())
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

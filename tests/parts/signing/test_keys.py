"""Keys and their directory, by the vectors of their specifications; signed requests, verified by another program."""

import os
import stat
import subprocess
import sys
import time
from base64 import urlsafe_b64decode
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from http_message_signatures import HTTPMessageVerifier, InvalidSignature, algorithms
from support.patience import PATIENCE
from support.signed_web import AGENT, Directory, verified

from minicrawl.errors import SettingError
from minicrawl.parts.signing.keys import (
    LASTS,
    PROOF_LASTS,
    Signer,
    SigningKey,
    directory,
    directory_fields,
    new_key,
    read_key,
    thumbprint,
)

RFC_9421_KEY = """-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
"""
"""RFC 9421 B.1.4, the key of the vectors of the drafts, too."""
RFC_9421_ID = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"


def kept(path: Path, pem: str | bytes) -> Path:
    """A key file as it ought to be."""
    path.write_bytes(pem if isinstance(pem, bytes) else pem.encode())
    path.chmod(0o600)
    return path


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    return read_key(kept(tmp_path / "rfc.pem", RFC_9421_KEY))


def test_thumbprints_are_those_of_the_rfc() -> None:
    public = urlsafe_b64decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
    assert thumbprint(public) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"  # RFC 8037 A.3


DATE = "Tue, 20 Apr 2021 02:07:55 GMT"
NONCE = "n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA=="
VECTORS = {
    "RFC 9421 B.2.6": (
        [
            ('"date"', DATE),
            ('"@method"', "POST"),
            ('"@path"', "/foo"),
            ('"@authority"', "example.com"),
            ('"content-type"', "application/json"),
            ('"content-length"', "18"),
        ],
        '("date" "@method" "@path" "@authority" "content-type" "content-length")'
        ';created=1618884473;keyid="test-key-ed25519"',
        "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==",
    ),
    "web-bot-auth": (
        [('"@authority"', "example.com"), ('"signature-agent";key="agent2"', '"https://signature-agent.test"')],
        f'("@authority" "signature-agent";key="agent2");created=1735689600;keyid="{RFC_9421_ID}"'
        f';alg="ed25519";expires=4889289600;nonce="{NONCE}";tag="web-bot-auth"',
        "RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==",
    ),
    "directory": (
        [
            ('"@authority";req', "signature-agent.test"),
            ('"content-digest"', "sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:"),
        ],
        f'("@authority";req "content-digest");created=1735689600;expires=4889289600;keyid="{RFC_9421_ID}"'
        ';tag="http-message-signatures-directory"',
        "l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==",
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_signature_is_that_of_the_vector(name: str, key: SigningKey) -> None:
    components, parameters, signature = VECTORS[name]
    assert key.signature(components, parameters) == f":{signature}:"


def test_directory_is_that_of_the_draft(key: SigningKey) -> None:
    assert key.id == RFC_9421_ID
    assert directory([key]) == (
        b'{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",'
        b'"x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","use":"sig"}]}'
    )
    fields = dict(directory_fields([key], "signature-agent.test", 0))
    assert fields["Content-Digest"] == "sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:"
    assert fields["Content-Type"] == "application/http-message-signatures-directory+json"


def test_directory_of_two_keys_is_signed_by_both(tmp_path: Path, key: SigningKey) -> None:
    keys = [key, new_key(tmp_path / "new.pem")]
    created = int(time.time())
    headers = {name.lower(): value for name, value in directory_fields(keys, "crawler.example:8443", created)}
    request = SimpleNamespace(method="GET", url="https://crawler.example:8443/", headers={})
    response = SimpleNamespace(status_code=200, headers=headers, request=request, url=request.url)
    verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=Directory(directory(keys)))
    results = verifier.verify(response, expect_tag="http-message-signatures-directory")
    assert [result.parameters["keyid"] for result in results] == [one.id for one in keys]
    assert {result.parameters["expires"] for result in results} == {created + PROOF_LASTS}
    covered = {'"@authority";req': "crawler.example:8443", '"content-digest"': headers["content-digest"]}
    assert all(covered.items() <= result.covered_components.items() for result in results)


def test_new_key_is_its_owners_alone(tmp_path: Path) -> None:
    made = new_key(path := tmp_path / "crawler.pem")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_key(path)[:2] == made[:2]
    with pytest.raises(SettingError, match="already exists"):
        new_key(path)
    assert read_key(path).id == made.id
    with pytest.raises(SettingError, match="cannot be written: No such file"):
        new_key(tmp_path / "none" / "crawler.pem")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o602])
def test_key_that_others_may_use_is_refused(mode: int, tmp_path: Path) -> None:
    path = kept(tmp_path / "a key.pem", RFC_9421_KEY)
    path.chmod(mode)
    with pytest.raises(SettingError, match=r"open to others; run: chmod 600 '.*a key.pem'"):
        read_key(path)


def pem(private: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey | Ed25519PrivateKey, password: bytes = b"") -> bytes:
    encryption = BestAvailableEncryption(password) if password else NoEncryption()
    return private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)


NO_KEYS = {
    "empty": (b"", "is not a private key in PEM format"),
    "garbage": (b"\xff\x00" * 99, "is not a private key in PEM format"),
    "cut": (RFC_9421_KEY[:80].encode(), "is not a private key in PEM format"),
    "public": (
        Ed25519PrivateKey.generate().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        "is not a private key in PEM format",
    ),
    "with a password": (pem(Ed25519PrivateKey.generate(), b"secret"), "without a password"),
    "elliptic": (pem(ec.generate_private_key(ec.SECP256R1())), "not an Ed25519 key"),
    "RSA": (pem(rsa.generate_private_key(65537, 2048)), "not an Ed25519 key"),
}


@pytest.mark.parametrize("name", NO_KEYS)
def test_file_that_is_no_key_is_refused_without_its_content(name: str, tmp_path: Path) -> None:
    content, sentence = NO_KEYS[name]
    with pytest.raises(SettingError, match=sentence) as error:
        read_key(kept(tmp_path / "key.pem", content))
    assert "MC4CAQ" not in str(error.value)


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(fifo := tmp_path / "fifo.pem")
    for path in (fifo, tmp_path, Path(os.devnull)):
        with pytest.raises(SettingError, match="is not a file; 'minicrawl key new FILE' makes one"):
            read_key(path)


def test_key_that_cannot_be_written_leaves_no_file(tmp_path: Path) -> None:
    code = (
        "import resource, signal, sys; from pathlib import Path; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from minicrawl.parts.signing.keys import new_key; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "new_key(Path(sys.argv[1]))"
    )
    path = tmp_path / "key.pem"
    command = [sys.executable, "-c", code, str(path)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert "cannot be written: File too large" in result.stderr
    assert not path.exists()


def test_key_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="cannot be read: No such file"):
        read_key(tmp_path / "none.pem")


def signed(key: SigningKey, authority: str, agent: str = AGENT) -> dict[str, str]:
    fields = Signer(key, agent).fields(authority)
    return {"host": authority} | {name.decode().lower(): value.decode() for name, value in fields}


@pytest.mark.parametrize("authority", ["example.com", "example.com:8080", "xn--bcher-kva.example", "[2001:db8::1]:81"])
def test_signature_holds_for_a_host_and_a_while(authority: str, key: SigningKey) -> None:
    parameters = verified(signed(key, authority), Directory(directory([key])))
    assert (parameters["keyid"], parameters["alg"]) == (key.id, "ed25519")
    assert parameters["expires"] - parameters["created"] == LASTS
    assert time.time() - parameters["created"] < LASTS


def test_signature_names_the_url_of_a_directory_as_it_was_given(key: SigningKey) -> None:
    url = f"{AGENT}/keys/bot.json?v=1"
    verified(signed(key, "example.com", url), Directory(directory([key])), url)


def test_no_two_signatures_are_alike(key: SigningKey) -> None:
    assert len({signed(key, "example.com")["signature"] for _ in range(100)}) == 100


CHANGES = {
    "host": ("example.com", "evil.example"),
    "signature-agent": (AGENT, "https://evil.example"),
    "signature-input": ('alg="ed25519"', 'alg="ed25519";x'),
    "signature": ("sig1=:", "sig1=:AAAA"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changed_request_is_not_the_crawlers(name: str, key: SigningKey) -> None:
    headers = signed(key, "example.com")
    verified(headers, Directory(directory([key])))
    headers[name] = headers[name].replace(*CHANGES[name])
    with pytest.raises(InvalidSignature):
        verified(headers, Directory(directory([key])))


def test_signature_by_another_key_is_not_the_crawlers(tmp_path: Path, key: SigningKey) -> None:
    other = new_key(tmp_path / "other.pem")
    with pytest.raises(InvalidSignature):
        verified(signed(key._replace(private=other.private), "example.com"), Directory(directory([key, other])))

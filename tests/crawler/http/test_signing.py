"""Signed requests, verified by another implementation of RFC 9421."""

import time
from pathlib import Path

import pytest
from http_message_signatures import InvalidSignature
from support.signed_web import AGENT, Directory, verified

from minicrawl.crawler.http.signing import LASTS, Signer, SigningKey, directory, new_key


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    return new_key(tmp_path / "key.pem")


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

"""minicrawl key, and the settings of a crawl that signs."""

import hashlib
import json
import re
from base64 import b64encode
from pathlib import Path

import pytest
from support.command_line import run

from minicrawl.errors import SettingError
from minicrawl.parts.part import own
from minicrawl.parts.signing import SigningSettings
from minicrawl.parts.signing.keys import directory, read_key
from minicrawl.settings import CrawlSettings


def test_new_key_is_told_with_the_next_steps(tmp_path: Path) -> None:
    file = tmp_path / "crawler.pem"
    result = run("key", "new", file)
    assert result.exit_code == 0
    told = f"{file}: a key with the id {read_key(file).id}\n"
    assert result.stdout.startswith(told)
    again = run("key", "new", file)
    assert (again.exit_code, again.stdout) == (2, "")
    assert again.stderr == f"Error: {file} already exists, and a lost key cannot be made again; name a new file\n"


def test_directory_is_what_is_to_be_served(tmp_path: Path) -> None:
    files = [tmp_path / "new.pem", tmp_path / "old.pem"]
    for file in files:
        run("key", "new", file)
    body = run("key", "directory", *files).stdout
    assert body.encode() == directory([read_key(file) for file in files])
    assert [key["kid"] for key in json.loads(body)["keys"]] == [read_key(file).id for file in files]
    head, _, same = run("key", "directory", *files, "--response", "Crawler.Example").stdout.partition("\n\n")
    assert same == body
    assert f"Content-Digest: sha-256=:{b64encode(hashlib.sha256(body.encode()).digest()).decode()}:\n" in head


@pytest.mark.parametrize("host", ["Crawler.example:443", "https://crawler.example/"])
def test_host_of_a_response_may_be_spelt_as_an_origin(host: str, tmp_path: Path) -> None:
    run("key", "new", file := tmp_path / "crawler.pem")
    told = run("key", "directory", file, file, "--response", host).stdout
    (signature,) = re.findall(r"^Signature: (sig1=:.*:)$", told, re.MULTILINE)
    headers = {
        name.lower(): value for name, value in re.findall("^([^:]+): (.*)$", told.split("\n\n")[0], re.MULTILINE)
    }
    key = read_key(file)
    covered = [('"@authority";req', "crawler.example"), ('"content-digest"', headers["content-digest"])]
    assert signature == f"sig1={key.signature(covered, headers['signature-input'].removeprefix('sig1='))}"


@pytest.mark.parametrize("host", ["", "a.example/x", "b\xfccher.example"])
def test_host_that_is_none_has_no_response(host: str, tmp_path: Path) -> None:
    run("key", "new", file := tmp_path / "crawler.pem")
    result = run("key", "directory", file, "--response", host)
    assert (result.exit_code, result.stdout) == (2, "")


def test_key_and_origin_go_together(tmp_path: Path) -> None:
    run("key", "new", file := tmp_path / "crawler.pem")
    store = ("--store", tmp_path / "crawl.db", "https://a.test/")
    alone = run("crawl", "--sign", file, *store)
    assert alone.exit_code == 2
    assert "--sign KEYFILE and --signature-agent URL go together" in alone.stderr
    assert run("crawl", "--signature-agent", "https://crawler.example", *store).exit_code == 2
    assert not (tmp_path / "crawl.db").exists()


def signature_agent(key: Path | None, given: str) -> str:
    """As it is read."""
    settings = CrawlSettings.of({"sign": key, "signature_agent": given})
    return own(settings, SigningSettings).signature_agent


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("", ""),
        ("https://Crawler.Example/", "https://crawler.example"),
        ("HTTPS://crawler.example:443/", "https://crawler.example"),
        ("https://crawler.example:8443", "https://crawler.example:8443"),
        ("HTTPS://Crawler.Example:443/Keys?v=1", "https://crawler.example/Keys?v=1"),
    ],
)
def test_place_of_the_key_is_spelt_as_an_origin_or_a_url(given: str, place: str, tmp_path: Path) -> None:
    (key := tmp_path / "key.pem").touch()
    assert signature_agent(key if given else None, given) == place


NO_PLACES = (
    *("crawler.example", "http://crawler.example", "https://", "https://a.example/#keys", "https://me@a"),
    'https://a"b',
    *("https://a/\\b", "https://a/\xfc", "https://a\nb", "https://\u017fite.example", "https://b\xfccher.example"),
    *("https://a:0", "https://a:65536", "https://-a", "https://a..b", "https://" + "a" * 64),
)


@pytest.mark.parametrize("given", NO_PLACES)
def test_what_is_no_https_url_publishes_no_key(given: str, tmp_path: Path) -> None:
    with pytest.raises(
        SettingError, match=r"--signature-agent must be an https origin such as https://crawler\.example"
    ):
        signature_agent(tmp_path / "key.pem", given)

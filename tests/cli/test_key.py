"""minicrawl key"""

import hashlib
import json
import re
from base64 import b64encode
from pathlib import Path

import pytest
from support.command_line import run

from minicrawl.crawler.http.signing import directory, read_key


def test_new_key_is_told_with_the_next_steps(tmp_path: Path) -> None:
    file = tmp_path / "crawler.pem"
    result = run("key", "new", file)
    assert result.exit_code == 0
    told = f"{file}: a key with the id {read_key(file).id}\n"
    assert result.stdout.startswith(told)
    again = run("key", "new", file)
    assert (again.exit_code, again.stdout) == (2, "")
    assert again.stderr == f"Error: {file} is there already, and a lost key cannot be made again; name a new file\n"


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

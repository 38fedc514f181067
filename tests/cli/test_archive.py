"""minicrawl archive: find, read, check what was kept."""

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from support.archives import an_http_record
from support.command_line import HOME, SITE, answer, run
from support.sites import crawl, html


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archived")
    crawl(SITE, folder / "crawl.db", [HOME], archive=folder / "kept")
    return folder


@pytest.fixture
def archive(crawled: Path, tmp_path: Path) -> Path:
    shutil.copytree(crawled, tmp_path, dirs_exist_ok=True)
    return tmp_path / "kept"


def test_answers_are_listed(archive: Path) -> None:
    (one,) = answer("archive", "list", "a.test/a", "--archive", archive)
    assert (one["url"], one["status"], one["media_type"], one["is_revisit"]) == (HOME + "a", 200, "text/html", False)
    page = (Path(__file__).parents[2] / "docs/archive.md").read_text("utf-8")
    told = re.findall("^[|] (`.*?) [|]", page.split("## Copies of a URL")[1].split("##")[0], re.MULTILINE)
    assert sorted(re.findall("`([a-z_]+)`", " ".join(told))) == sorted(one)
    shown = run("archive", "list", HOME, "--store", archive.parent / "crawl.db").stdout
    assert "  200  text/html" in shown
    for words in (["list"], ["list", "--json"], ["get"]):
        missing = run("archive", *words, "http://a.test/x", "--archive", archive)
        assert (missing.exit_code, missing.stdout) == (2, "")
        assert f"http://a.test/x is not in the archive at {archive}" in missing.stderr


def test_a_body_is_written_as_it_was(archive: Path) -> None:
    assert run("archive", "get", HOME + "a", "--archive", archive).stdout == html(SITE[HOME + "a"])
    raw = run("archive", "get", HOME + "a", "--archive", archive, "--raw", "--at", "2020").stdout
    assert raw.startswith("HTTP/1.1 200 OK\n")
    assert raw.endswith(html(SITE[HOME + "a"]))


def test_a_sound_archive_passes_and_a_damaged_one_does_not(archive: Path) -> None:
    store = archive.parent / "crawl.db"
    sound = run("archive", "check", "--deep", "--store", store)
    assert sound.exit_code == 0
    assert sound.stdout.endswith(": nothing is wrong\ncomplete: it has 0 files that its pages need\n")
    assert answer("archive", "check", "--store", store)["problems"] == []
    (file,) = (archive / "archive").iterdir()
    file.write_bytes(file.read_bytes()[:-5])
    assert run("archive", "check", "--store", store).exit_code == 4
    damaged = run("archive", "check", "--deep", "--archive", archive)
    assert damaged.exit_code == 4
    assert "is torn" in damaged.stdout


def test_a_record_that_is_too_large_to_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    plain = an_http_record(b"HTTP/1.1 200 OK\r\n\r\n").replace(b"Length: 19", b"Length: %d" % (80 * 2**20 + 19))
    with (tmp_path / "archive/large.warc").open("wb") as file:
        file.write(plain.removesuffix(b"\r\n\r\n"))
        file.truncate(file.tell() + 80 * 2**20)
    coded = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(bytes(80 * 2**20))
    (tmp_path / "archive/packed.warc").write_bytes(an_http_record(coded, "http://h.test/packed"))
    assert run("archive", "index", "--archive", tmp_path).exit_code == 0
    for url, sentence in {
        "http://h.test/": "is larger than 64 MB, more than minicrawl reads; find it in large",
        "http://h.test/packed": "is larger than 64 MB without its coding; --raw writes it as it was sent",
    }.items():
        told = run("archive", "get", url, "--archive", tmp_path)
        assert (told.exit_code, told.stdout) == (3, "")
        assert sentence in told.stderr
    checked = answer("archive", "check", "--deep", "--archive", tmp_path)
    assert checked["problems"] == []
    assert "larger than 64 MB" in checked["notes"][0]


def test_an_index_is_made_anew(archive: Path) -> None:
    before = (archive / "indexes/index.cdxj").read_bytes()
    shutil.rmtree(archive / "indexes")
    assert run("archive", "index", "--archive", archive).stdout == "7 answers in the index\n"
    assert (archive / "indexes/index.cdxj").read_bytes() == before


def test_an_archive_is_exported(archive: Path, tmp_path: Path) -> None:
    store = archive.parent / "crawl.db"
    assert "answers in " in run("archive", "export", tmp_path / "x.wacz", "--store", store).stdout
    assert run("archive", "export", tmp_path / "x.zip", "--store", store).exit_code == 2


VIEWER = f"""#!{sys.executable}
import http.server, sys
host, port = sys.argv[2], int(sys.argv[4])
http.server.HTTPServer((host, port), http.server.SimpleHTTPRequestHandler).serve_forever()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_viewer_on_the_path_shows_the_archive_until_it_is_interrupted(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "wayback").write_text(VIEWER)
    (tmp_path / "wayback").chmod(0o755)
    command = [sys.executable, "-m", "minicrawl", "archive", "replay", "--store", str(archive.parent / "crawl.db")]
    places = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}
    in_background = ["sh", "-c", 'trap "" INT; exec "$@"', "sh"]  # as by &: Ctrl-C is for others
    for stop, words, code in ((signal.SIGINT, [], 130), (signal.SIGTERM, in_background, 143)):
        with subprocess.Popen([*words, *command], stdout=subprocess.PIPE, text=True, env=os.environ | places) as shown:
            assert shown.stdout is not None
            address = re.match(r"(http://127.0.0.1:\d+/)kept/(\S+)  ", shown.stdout.readline())
            assert address is not None
            assert address[2] == "http://a.test/"
            with urllib.request.urlopen(f"{address[1]}collections/kept/indexes/index.cdxj") as index:
                assert index.read() == (archive / "indexes" / "index.cdxj").read_bytes()
            shown.send_signal(stop)
            assert shown.wait() == code
        assert not list(tmp_path.glob("minicrawl-*"))
        with pytest.raises(OSError, match="refused"):
            urllib.request.urlopen(address[1])


def test_without_a_viewer_there_is_one_line_that_says_what_to_do(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = run("archive", "replay", "--archive", archive)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "minicrawl archive export kept.wacz" in result.stderr
    (tmp_path / "wayback").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "wayback").chmod(0o755)
    assert "ended at once" in run("archive", "replay", "--archive", archive).stderr


def test_sites_are_selected(archive: Path) -> None:
    store = archive.parent / "crawl.db"
    shown = run("archive", "select", "--grades", "2", "--bytes", "50GB", "--store", store).stdout
    assert shown.splitlines()[0].split() == ["grade", "importance", "pages", "size", "site"]
    assert len(answer("archive", "select", "--store", store)["sites"]) == len(shown.splitlines()) - 2


def test_files_of_other_programs_are_looked_into_and_damage_is_told(tmp_path: Path) -> None:
    """A file, not a folder: a record in a member of several, and one byte of garbage between members."""
    block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    records = [an_http_record(block, f"http://h.test/{number}") for number in range(3)]
    path = tmp_path / "x.warc.gz"
    path.write_bytes(gzip.compress(records[0] + records[1]) + b"garbage" + gzip.compress(records[2]))
    for number in range(3):
        found = run("archive", "get", f"https://h.test/{number}", "--archive", path)
        assert found.stdout_bytes == b"hello"
    (one,) = json.loads(run("archive", "list", "http://h.test/1", "--archive", path, "--json").stdout)
    assert (one["file"], one["start"], one["within"]) == (path.name, 0, len(records[0]))
    for deep in ([], ["--deep"]):
        checked = run("archive", "check", *deep, "--archive", path, "--json")
        assert (checked.exit_code, json.loads(checked.stdout)["lost"]) == (4, {path.name: 7})
        assert "7 bytes at" in run("archive", "check", *deep, "--archive", path).stdout
    assert run("archive", "export", tmp_path / "x.cdxj", "--archive", path).exit_code == 0
    assert len((tmp_path / "x.cdxj").read_text().splitlines()) == len(records)
    assert run("archive", "index", "--archive", path).exit_code == 2

"""What is for one origin goes to no other: whatever hosts link and redirect to, on real connections."""

import gzip
import json
from base64 import b64encode
from pathlib import Path

import pytest
from origins import ORIGINS, OWNER, Web, crawled
from sites import rows

HUSH = "Basic " + b64encode(b"me:hush").decode()
NAMED = "http://h.test:81"
CASES: dict[str, tuple[dict[str, object], list[str], set[str]]] = {
    "a header for the seeds": ({"header": "Authorization: hush"}, [OWNER], {OWNER}),
    "a header for the seeds, two of them": ({"header": "Authorization: hush"}, [OWNER, NAMED], {OWNER, NAMED}),
    "a header for a name": ({"header": "h.test=Authorization: hush"}, [OWNER], {OWNER}),
    "a header for a name that is a seed in the clear": (
        {"header": "h.test=Authorization: hush"},
        ["http://h.test"],
        {"http://h.test", OWNER},
    ),
    "a header for a port": ({"header": "h.test:444=Authorization: hush"}, [OWNER], {"https://h.test:444"}),
    "a header for a scheme and port": ({"header": f"{NAMED}=Authorization: hush"}, [OWNER], {NAMED}),
    "a password for the seeds": ({"auth": "me:hush"}, [OWNER], {OWNER}),
    "a password for a name": ({"auth": "h.test=me:hush"}, [OWNER], {OWNER}),
    "a password for a name, from elsewhere": ({"auth": "h.test=me:hush"}, ["http://evil.test"], {OWNER}),
    "a password for a port": ({"auth": "h.test:444=me:hush"}, [OWNER], {"https://h.test:444"}),
    "a password in the clear": ({"auth": f"{NAMED}=me:hush"}, [OWNER], {NAMED}),
    "a password for a host below": ({"auth": "sub.h.test=me:hush"}, [OWNER], {"https://sub.h.test"}),
    "a netrc": ({"netrc_file": "netrc"}, [OWNER], {OWNER}),
    "a netrc, from elsewhere": ({"netrc_file": "netrc"}, ["http://evil.test"], {OWNER}),
    "a netrc for a seed in the clear": ({"netrc_file": "netrc"}, ["http://h.test"], {OWNER, "http://h.test"}),
}


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("case", CASES)
def test_a_secret_goes_to_the_origins_it_is_for_and_to_no_other(case: str, workers: int, tmp_path: Path) -> None:
    settings, seeds, expected = CASES[case]
    if "netrc_file" in settings:
        (tmp_path / "netrc").write_text("machine h.test login me password hush\ndefault login you password all\n")
        settings = {"netrc_file": tmp_path / "netrc"}
    web, store = Web(), tmp_path / "crawl.db"
    crawled(web, store, [f"{seed}/" for seed in seeds], workers=workers, **settings)
    assert {asked.origin for asked in web.asked} == set(ORIGINS)
    having = web.having("authorization")
    assert set(having) == expected
    assert set(having.values()) <= {"hush", HUSH}
    asked_there = [asked for asked in web.asked if asked.origin in expected]
    assert all("authorization" in asked.headers for asked in asked_there)
    assert b"hush" not in b"".join(file.read_bytes() for file in tmp_path.glob("crawl.db*"))


def test_a_header_that_is_no_secret_goes_to_all_ports_and_schemes_of_its_host(tmp_path: Path) -> None:
    web = Web()
    crawled(web, tmp_path / "crawl.db", [f"{OWNER}/"], header="h.test=X-Plain: a")
    assert set(web.having("x-plain")) == {"https://h.test", "http://h.test", NAMED, "https://h.test:444"}


def test_no_secret_is_in_the_archive_the_log_or_the_settings(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "minicrawl")
    web, store = Web(), tmp_path / "crawl.db"
    settings = {"auth": "h.test=me:hush", "header": "X-Api-Key: hush", "archive_size": "1GB"}
    crawled(web, store, [f"{OWNER}/"], archive=tmp_path / "kept", dedup=False, **settings)
    kept = b"".join(gzip.decompress(file.read_bytes()) for file in (tmp_path / "kept/archive").glob("*.warc.gz"))
    assert b"GET / HTTP/1.1" in kept
    assert web.having("authorization").keys() == web.having("x-api-key").keys() == {OWNER}
    for secret in ("hush", HUSH.removeprefix("Basic ")):
        assert secret.encode() not in kept
        assert secret not in caplog.text
    kept_settings = json.loads(rows(store, "SELECT value FROM meta WHERE key = 'settings'")[0][0])
    assert kept_settings["auth"] == ["h.test=***"]

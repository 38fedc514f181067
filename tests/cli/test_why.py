"""minicrawl why"""

import json
from pathlib import Path

import pytest
from support.command_line import HOME, run
from support.sites import Server, Site, crawl

WHY = {
    "deny": ("http://a.test/secret", "deny", "--deny 'secret'"),
    "scope": ("http://b.test/", "scope-host", "--scope host: b.test is none of the seeds': a.test"),
    "trap": ("http://a.test/x/x/x/x", "trap-repeated-path", "pattern a.test/x/…"),
    "too far": (HOME + "far", "max-depth", "--max-depth 2: it is 3 links from a seed; http://a.test/b links to it"),
    "no link": (HOME + "never-linked", "no-link", "no page read so far has a counted link to it"),
    "robots": (HOME + "private", "robots", "'Disallow: /p' of http://a.test/robots.txt"),
    "redirect": (
        HOME + "out",
        "redirect-scope-host",
        "http://b.test/x: --scope host: b.test is none of the seeds': a.test",
    ),
    "loop": (HOME + "meta2", "meta-refresh-loop", "http://a.test/meta: leads back here"),
    "canonical": (HOME + "named", "canonical-deny", "http://a.test/secret: --deny 'secret'"),
    "parameters": (HOME + "b?utm_source=x", "ok", None),
}


@pytest.mark.parametrize(("url", "reason", "rule"), WHY.values(), ids=WHY.keys())
def test_why_names_the_rule_that_decides(explained: Path, url: str, reason: str, rule: str | None) -> None:
    told = json.loads(run("why", url, "--json", "--store", explained).stdout)
    assert (told["reason"], told["rule"], told["asked"]) == (reason, rule, url)
    text = run("why", url, "--store", explained).output
    assert f"{reason}: {rule}" in text if rule else "known as    this, without parameters" in text
    assert "robots.txt  " + ("robots, 'Disallow: /p' of" if reason == "robots" else "") in text


@pytest.fixture(scope="module")
def explained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl with something for every rule."""
    store = tmp_path_factory.mktemp("why") / "crawl.db"
    site: Site = {
        HOME: [HOME + name for name in ("a", "private", "out", "meta", "meta2", "named", "secret")],
        HOME + "a": [HOME + "b?utm_source=y"],
        HOME + "b": [HOME + "far"],
        HOME + "out": "http://b.test/x",
        HOME + "meta": [f'<meta http-equiv="refresh" content="0;{HOME}meta2">'],
        HOME + "meta2": [f'<meta http-equiv="refresh" content="0;{HOME}meta">'],
        HOME + "named": [f'<link rel="canonical" href="{HOME}secret">'],
    }
    server = Server(site, robots="User-agent: *\nDisallow: /p")
    crawl(server, store, [HOME], scope="host", deny=("secret",), max_depth=2, strategy="breadth-first")
    return store

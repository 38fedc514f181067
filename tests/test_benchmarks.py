"""The benchmarks that anybody can run: their results, their page, the truth that they compare with."""

import json
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from public import webs
from public.peers import Peer, UnavailableError, install
from public.results import BOUND, OURS, PEER, Column, Row, Table, page
from public.run import SUITES, run
from public.server import Reply, Server
from support.documents import ROOT

SCHEMA = json.loads((ROOT / "bench/public/results.schema.json").read_text())


def results(tmp_path: Path, *suites: str) -> dict[str, Any]:
    """Results of quick suites, as they come back from JSON."""
    *_, last = run(suites, tmp_path, is_quick=True)
    found: dict[str, Any] = json.loads(json.dumps(last))
    pytest.importorskip("jsonschema").Draft202012Validator(SCHEMA).validate(found)
    assert list(tmp_path.iterdir()) == []  # nothing was installed or downloaded
    return found


def test_results_are_as_their_schema_says(tmp_path: Path) -> None:
    (suite,) = results(tmp_path, "robots")["suites"]
    ours, standard = suite["tables"][0]["rows"]
    assert [ours["name"], *(figure["value"] for figure in ours["figures"][:3])] == ["minicrawl", *[100.0] * 3]
    assert standard["name"] == "urllib.robotparser"
    states = {peer["name"]: peer["state"] for peer in suite["peers"]}
    assert states.pop("urllib.robotparser") == "measured"
    assert set(states.values()) == {"left out"}


@pytest.mark.slow
@pytest.mark.parametrize("suite", sorted({*SUITES} - {"robots"}))
def test_quick_form_of_a_suite_runs(suite: str, tmp_path: Path) -> None:
    found = results(tmp_path, suite)
    for table in found["suites"][0]["tables"]:
        assert f"### {table['title']}" in page(found)
        for row in table["rows"]:
            assert len(row["figures"]) == len(table["columns"])
        assert any(row["kind"] == OURS for row in table["rows"])


def shown(*rows: Row, better: str = "less") -> str:
    table = Table("A table", (Column("cost", better, 2),), rows, "A note.")
    machine = {"cores": 2, "memory_gb": 4, "system": "S", "python": "3", "load_before": 0.1, "load_after": 0.2}
    absent = {"state": "not to be had", "reason": "no wheel", "version": None}
    peer = {"name": "P", "registry": "PyPI", "packages": ["p>=1"], "licence": "MIT", **absent}
    suite = {"title": "T", "measures": "M.", "fair": ["F."], "peers": [peer], "tables": [table.as_json()]}
    found = {"date": "2026-11-01", "quick": False, "minicrawl": "1", "machine": machine, "suites": [suite]}
    return page(json.loads(json.dumps(found)))


def test_page_says_who_is_better_and_who_was_not_to_be_had() -> None:
    text = shown(
        Row.of("minicrawl", OURS, [3.0, 2.0, 4.0]),
        Row.of("slower", PEER, [5.0]),
        Row.of("faster", PEER, [1.0]),
        Row.of("ideal", BOUND, [0.5]),
        Row.of("silent", PEER, []),
    )
    assert "| minicrawl | 3.00 (2.00–4.00) |" in text
    assert "| faster | **1.00** |" in text
    assert "| *ideal* | 0.50 |" in text
    assert "| silent | - |" in text
    assert "Better than minicrawl here: cost: faster." in text
    assert "| P | PyPI: `p>=1` | not to be had: no wheel | MIT |" in text


def test_peer_that_cannot_be_had_is_named_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="no program-of-nobody on PATH; 'apt-get install"):
        install(Peer("P", "Debian", ("program-of-nobody",)), tmp_path)


HTML = {"Content-Type": "text/html"}
WEB = webs.Web(
    ("http://a.test/",),
    {
        "http://a.test/": (
            200,
            HTML,
            b"<base href=/x/><a href=one>1</a><a href=/old#f>2</a><a href=http://else.test/>3</a>",
        ),
        "http://a.test/x/one": (200, HTML, b"<a href=/>home</a><a href=gone>4</a>"),
        "http://a.test/old": (301, {"Location": "/x/one"}, b""),
        "http://a.test/lonely": (200, HTML, b"nobody links here"),
    },
)


def test_truth_follows_links_and_redirects_from_the_seeds() -> None:
    """Home links to one, directly and by a redirect; one links home and to a page that is not there."""
    truth = webs.walked(WEB)
    assert truth.urls == ["http://a.test/", "http://a.test/x/one", "http://a.test/x/gone"]
    d, jump = 0.85, 0.05
    # h = j + d o/2 + d g/3, o = j + d h + d g/3, g = j + d o/2 + d g/3
    system = np.array([[1, -d / 2, -d / 3], [-d, 1, -d / 3], [0, -d / 2, 1 - d / 3]])
    assert truth.importance == pytest.approx(np.linalg.solve(system, [jump] * 3), abs=1e-12)


def test_server_is_a_host_and_the_proxy_to_all_and_tells_what_was_asked() -> None:
    replies: dict[str, Reply] = {"http://a.test/p?q": (200, HTML, b"yes"), "http://127.0.0.1/": (200, HTML, b"host")}
    server = Server(replies)
    try:
        with httpx.Client(mounts={"http://": httpx.HTTPTransport(proxy=server.proxy["http_proxy"])}) as proxied:
            assert proxied.get("http://a.test/p?q#f").text == "yes"
            assert proxied.get("http://b.test/").status_code == 404
        with httpx.Client(trust_env=False) as direct:
            assert direct.get(f"http://127.0.0.1:{server.port}/").text == "host"
            assert direct.head(f"http://127.0.0.1:{server.port}/").headers["Content-Length"] == "4"
    finally:
        asked = server.end()
    assert asked == [("http://a.test/p?q", 200), ("http://b.test/", 404), *[("http://127.0.0.1/", 200)] * 2]

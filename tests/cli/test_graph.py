"""'graph stats' of a store and of a graph file: what it prints, draws and refuses."""

import json
from functools import partial
from pathlib import Path

from support import command_line
from support.sites import HOME, Site, crawled_once

SITE: Site = {HOME: ["/a", "/b"], HOME + "a": [HOME, "/moved"], HOME + "b": ["/gone"], HOME + "moved": HOME + "b"}


run = partial(command_line.run, "graph", "stats")
store = crawled_once(SITE, [HOME])


def test_stats_of_a_store_fold_aliases(store: Path) -> None:
    """Home and a are the core; b, to which moved leads, and gone, which was asked for in vain, are behind it."""
    result = run("--store", store)
    assert result.exit_code == 0
    head, _, strong, weak, *_ = result.output.splitlines()
    assert head == f"{store}: 4 pages, 5 links; 1 page without links, 1 of them never read"
    assert strong == "strong components  3; the largest, the core, has 2 pages (50.0%) and 2 links"
    assert weak == "weak components    1; the largest has 4 pages (100.0%)"
    assert "within the core    mean 1.00 links, 90 % of pairs within 0.8 (exact); longest 1\n" in result.output


def test_stats_as_json_are_one_document(store: Path) -> None:
    document = json.loads(run("--store", store, "--json").stdout)
    assert (document["pages"], document["links"], document["dangling"], document["never_read"]) == (4, 5, 1, 1)
    assert (document["core"]["pages"], document["core"]["distances"]["longest"]) == (2, 1)


def test_graph_file_is_told_of(tmp_path: Path) -> None:
    graph = tmp_path / "links.txt"
    graph.write_text("".join(f"{page} {(7 * page * page + 1) % 90}\n{page} {(page + 1) % 90}\n" for page in range(90)))
    result = run(graph)
    assert result.exit_code == 0, result.output
    assert result.output.startswith(f"{graph}: 90 pages, ")
    assert "never read" not in result.output

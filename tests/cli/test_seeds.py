"""minicrawl seeds"""

import json
from functools import partial
from pathlib import Path

from support import command_line
from support.sites import Site, crawl, crawled_once

from minicrawl.crawler.admission.seeds import read_seeds
from minicrawl.store.writer import Writer

A, B, C, D, E = "http://www.a.test/", "http://docs.a.test/", "http://b.test/", "http://c.test/", "http://d.test/"


# Hubs on both hosts of a.test and on c.test; one link goes to an old address. A copy and a moved page are no hubs.
WEB: Site = {
    A: [A + "hub", B + "hub", A + "copy", A + "missing", A + "moved"],
    A + "hub": [B, C + "1", C + "2", D + "old"],
    A + "copy": [f'<link rel="canonical" href="{A}hub">', C + "1", C + "2", D + "3"],
    A + "moved": D + "hub",
    B + "hub": [A, C + "1", C + "2", D + "3"],
    B: [],
    C + "1": [C + "2"],
    C + "2": [C + "1"],
    D + "old": D + "3",
    D + "3": [],
    D + "hub": [C + "1", C + "2", D + "3", E + "4", E + "5"],
    E + "4": [D + "3"],
    E + "5": [],
}


FILE = f"""\
# 2 seeds (no links are left for the other 8): the best hub of each core of the links between sites; best core first
# core 1: 2 hubs on 1 site, 3 authorities, density 100 %
{A}hub
# core 2: 1 hub on 1 site, 2 authorities, density 100 %
{D}hub
"""


run = partial(command_line.run, "seeds")
store = crawled_once(WEB, [A])


def test_seeds_are_a_seed_file(store: Path, tmp_path: Path) -> None:
    assert run("--store", store).output == FILE
    out = tmp_path / "next.txt"
    out.write_text("old")
    result = run("--store", store, "-o", out)
    assert (result.output, result.exit_code) == (f"2 seeds written to {out}\n", 0)
    assert out.read_text() == FILE
    assert read_seeds([str(out)]) == [A + "hub", D + "hub"]
    assert sorted(path.name for path in tmp_path.glob("*next*")) == ["next.txt"]
    assert run("--n", "1", "--store", store).output.splitlines()[2:] == [A + "hub"]
    assert "nowhere/next.txt cannot be written: No such" in run("--store", store, "-o", "nowhere/next.txt").stderr


def test_links_between_hosts_of_a_site_count_only_per_host(store: Path) -> None:
    for per, counted, places in (("site", 12, 4), ("host", 15, 5)):
        told = json.loads(run("--per", per, "--json", "--store", store).stdout)
        assert (told["per"], told["fetched"], told["counted"], told["places"]) == (per, 10, counted, places)


def test_explanation_shows_cores_and_what_was_measured(store: Path) -> None:
    result = run("--explain", "--store", store)
    lines = result.output.splitlines()
    assert lines[0] == "10 pages fetched on 4 sites; 12 of their 21 links lead to another site."
    core = lines.index("Core 1: 2 hubs on 1 site, 3 authorities, density 100 %")
    assert lines[core + 1].split() == ["seed", A + "hub"]
    assert lines[core + 2].split() == ["other", "hubs", B + "hub"]
    assert lines[core + 6].split() == ["sites", "of", "hubs", "a.test"]
    held = [line.partition(": ")[0] for line in lines[-4:]]
    assert held == ["- does not hold", "- does not hold", "- holds", "- holds"]


def test_store_without_cores_is_one_sentence(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    Writer(store).close()
    result = run("--store", store)
    assert result.exit_code == 3
    assert f"no page in {store} has been read yet" in result.stderr
    crawl({A: [B], B: [A]}, store, [A])
    result = run("--store", store)
    assert result.exit_code == 3
    assert result.stderr == (
        f"Error: no page fetched in {store} links to another site, so there are no cores; crawl more first\n"
    )
    assert run("--per", "host", "--store", store).exit_code == 0

"""Seeds out of the stores of real crawls, and the command that prints them."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from sites import Site, crawl, random_site, rows

from minicrawl.analysis.seeding import BASELINE, CORES, DEPTHS, RANDOM, Seeding, as_result, crawled_web, find_seeds
from minicrawl.cli import main
from minicrawl.crawler.admission.seeds import read_seeds
from minicrawl.store.reader import open_store
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


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["seeds", *(str(word) for word in words)])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    crawl(WEB, path, [A])
    return path


def site(host: str) -> str:
    return ".".join(host.rsplit(".", 2)[-2:])


def seeding(store: Path, count: int, random_sets: int = 0, seed: int = 0) -> Seeding:
    with open_store(store) as reader:
        web = crawled_web(reader, site)
        return find_seeds(web, reader.page_table.url, count, random_sets=random_sets, rng=np.random.default_rng(seed))


def test_cores_are_of_fetched_pages_with_aliases_folded(store: Path) -> None:
    """The two hubs of a.test share what they link to on other sites; c.test's hub is left with what is in no core."""
    first, second = seeding(store, 10).cores
    assert (first.seed, first.hubs, first.places) == (A + "hub", (A + "hub", B + "hub"), ("a.test",))
    assert set(first.authorities) == {C + "1", C + "2", D + "3"}
    assert (second.seed, second.hubs, second.authorities) == (D + "hub", (D + "hub",), (E + "4", E + "5"))


def test_links_between_hosts_of_a_site_count_only_per_host(store: Path) -> None:
    for per, counted, places in (("site", 12, 4), ("host", 15, 5)):
        told = json.loads(run("--per", per, "--json", "--store", store).stdout)
        assert (told["per"], told["fetched"], told["counted"], told["places"]) == (per, 10, counted, places)


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


def test_size_and_density_say_what_a_core_is(store: Path) -> None:
    found = json.loads(run("--size", "3x2", "--json", "--store", store).stdout)["cores"][0]
    assert (len(found["hubs"]), len(found["authorities"]), found["density"]) == (3, 2, 100.0)
    found = json.loads(run("--density", "50", "--json", "--store", store).stdout)["cores"][0]
    # All links between sites but the one to c.test's hub; d.test's page is on both sides.
    assert (len(found["hubs"]), len(found["authorities"]), found["density"]) == (4, 5, 100 * 11 / 20)


@pytest.mark.parametrize("seed", range(3))
def test_measures_are_those_of_a_plain_search(tmp_path: Path, seed: int) -> None:
    """What each set of seeds reaches: by following links page by page, with importance as the store has it."""
    web, seeds = random_site(seed, pages=120, hosts=12)
    store = tmp_path / "crawl.db"
    crawl(web, store, seeds)
    importance = dict(rows(store, "SELECT url, importance FROM ranks"))
    found = seeding(store, 6, random_sets=3, seed=seed)
    measures = found.measures
    assert measures is not None

    def levels(start: list[str]) -> list[set[str]]:
        seen, level, found = set(start), set(start), []
        for _ in range(DEPTHS + 1):
            found.append(level)
            level = {link for page in level for link in web[page]} - seen  # type: ignore[union-attr]
            seen |= level
        return found

    chosen = {CORES: [core.seed for core in found.cores], BASELINE: list(measures.baseline)}
    count = len(found.cores)
    assert count == len(chosen[CORES]) == len(chosen[BASELINE]) >= 3
    for kind, start in chosen.items():
        mass = 0.0
        for pages, at in zip(levels(start), measures.depths[kind], strict=True):
            held = sum(importance[page] for page in pages)
            mass += held
            assert at.pages == len(pages)
            assert at.mass == pytest.approx(mass, abs=1e-5)
            if pages:
                assert at.importance == pytest.approx(held / len(pages) * len(importance), rel=1e-3)
    known = rows(store, "SELECT url FROM pages WHERE state = 'fetched' ORDER BY id")
    rng = np.random.default_rng(seed)
    drawn = [[known[page][0] for page in rng.choice(len(known), count, replace=False)] for _ in range(3)]
    for depth, at in enumerate(measures.depths[RANDOM]):
        assert at.pages == pytest.approx(np.mean([len(levels(start)[depth]) for start in drawn]))
    assert measures.sets == 3
    assert len(measures.distances.links) == len(measures.random_distances.links) == count


def test_ranks_are_times_the_pages_that_have_any(store: Path) -> None:
    """Aliases have none, so the mean of the others is 1."""
    with open_store(store) as reader:
        ranks = crawled_web(reader, site).ranks()
    aliases = rows(store, "SELECT id FROM pages WHERE state = 'alias'")
    assert len(aliases) == 3
    assert ranks[[page for (page,) in aliases]].tolist() == [0.0] * 3
    assert ranks.sum() == pytest.approx(len(ranks) - 3)


def test_same_store_gives_the_same_seeds_and_measures(store: Path) -> None:
    first = run("--explain", "--json", "--store", store)
    assert (first.exit_code, first.stdout) == (0, run("--explain", "--json", "--store", store).stdout)
    told = json.loads(first.stdout)
    assert list(told) == [
        *("store", "seeds", "asked", "per", "fetched", "links", "counted", "places", "cores", "measures"),
    ]
    assert told["seeds"] == [A + "hub", D + "hub"]
    assert list(told["measures"]["depths"]) == [CORES, RANDOM, BASELINE]
    assert told["measures"]["sets"] == 20
    assert told["measures"]["distances"] == {
        "links": [[0, 2], [1, 0]], "mean": 1.5, "least": 1, "most": 2, "unreachable": 0.0
    }  # fmt: skip


def test_explanation_shows_cores_distances_and_measures(store: Path) -> None:
    result = run("--explain", "--store", store)
    lines = result.output.splitlines()
    assert lines[0] == "10 pages fetched on 4 sites; 12 of their 21 links lead to another site."
    core = lines.index("Core 1: 2 hubs on 1 site, 3 authorities, density 100 %")
    assert lines[core + 1].split() == ["seed", A + "hub"]
    assert lines[core + 2].split() == ["other", "hubs", B + "hub"]
    assert lines[core + 6].split() == ["sites", "of", "hubs", "a.test"]
    # Over a.test's home page to the hub on c.test, which links to the authorities of core 1.
    apart = lines.index("Links from each core (row) to each other one (column):")
    assert [line.split() for line in lines[apart + 2 : apart + 4]] == [["1", "0", "2"], ["2", "1", "0"]]
    table = next(number for number, line in enumerate(lines) if line.startswith("depth"))
    assert [line.split()[0] for line in lines[table + 1 : table + 1 + DEPTHS + 1]] == ["0", "1", "2", "3", "4"]
    assert lines[table + 2].split()[:2] == ["1", "6"]
    assert [line.partition(": ")[0] for line in lines[-3:]] == ["- does not hold", "- does not hold", "- holds"]


def test_claims_are_decided_by_what_was_measured(store: Path) -> None:
    """All fail against sets that are just as good, but for the distance; all hold against worse ones."""
    found = seeding(store, 10, random_sets=2)
    assert found.measures is not None
    cores, distances = found.measures.depths[CORES], found.measures.distances
    worse = tuple(replace(at, pages=at.pages - 1, importance=-1.0) for at in cores)
    for drawn, held in ((cores, [False, False, True]), (worse, [True, True, True])):
        depths = {**found.measures.depths, RANDOM: drawn}
        measures = replace(found.measures, depths=depths, random_distances=distances)
        assert [claim.held for claim in as_result(replace(found, measures=measures)).claims] == held
    with pytest.raises(ValueError, match="have not been measured"):
        as_result(replace(found, measures=None))


def test_plot_is_a_picture(store: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = tmp_path / "seeds.svg"
    result = run("--plot", plot, "--store", store)
    assert result.output == f"{FILE}the comparison is drawn in {plot}\n"
    assert plot.read_text().startswith("<?xml")
    assert sorted(path.name for path in tmp_path.glob("*.svg*")) == ["seeds.svg"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--density", "50", "--size", "3x2"], "--density and --size say two things of the same cores"),
        (["--size", "3"], "--size takes hubs x authorities, such as 20x5, not '3'"),
        (["--size", "0x3"], "--size takes hubs x authorities, such as 20x5, not '0x3'"),
        (["--plot", "seeds.png"], "--plot draws .svg files; the ending of seeds.png is '.png'"),
        (["-o", "nowhere/next.txt"], "nowhere/next.txt cannot be written: No such file or directory"),
    ],
)
def test_mistake_gets_one_sentence(store: Path, words: list[str], message: str) -> None:
    result = run(*words, "--store", store)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr


def test_plot_without_matplotlib_is_one_sentence(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("--plot", "seeds.svg", "--store", store)
    assert result.exit_code == 2
    assert result.stderr == "Error: --plot needs matplotlib; run: pip install 'minicrawl[lab]'\n"
    assert run("--explain", "--store", store).exit_code == 0


def test_store_without_cores_is_one_sentence(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    assert "there is no crawl at" in run("--store", store).stderr
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

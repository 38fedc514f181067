"""Rankings of one store compared: against those that `rank` computes, and against counting pairs one by one."""

import csv
import io
import math
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from support.command_line import answer, run
from support.shops import SITE, A
from support.sites import crawled_once

from minicrawl.analysis.rankings.ranking import RANKERS
from minicrawl.errors import SettingError

NAMES = ["importance", "indegree", "pagerank", "hits", "opic"]
COMPARE = ("rank", "--compare", ",".join(NAMES))
store = crawled_once(SITE, [A], jump="pages")


def table(store: Path, *words: str | Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(run(*COMPARE, "--csv", *words, "--store", store).stdout)))


def slow_tau(pairs: list[tuple[float, float]]) -> float:
    signs = [(np.sign(a - c), np.sign(b - d)) for (a, b), (c, d) in combinations(pairs, 2)]
    same, differ = sum(x * y > 0 for x, y in signs), sum(x * y < 0 for x, y in signs)
    only_one, only_other = sum(x == 0 and y != 0 for x, y in signs), sum(x != 0 and y == 0 for x, y in signs)
    return float((same - differ) / math.sqrt((same + differ + only_one) * (same + differ + only_other)))


def test_values_are_those_of_the_rankings(store: Path) -> None:
    rows = {row["url"]: row for row in table(store, "--damping", "0.7")}
    for name, ranking in (("pagerank", "pagerank"), ("hits", "hits"), ("opic", "opic")):
        of = ["--damping", "0.7"] if name == "pagerank" else []
        pages = answer("rank", "--by", ranking, *of, "--n", "1000", "--store", store)
        for page in pages["authority"] if name == "hits" else pages:
            if page["url"] in rows:
                assert float(rows[page["url"]][name]) == pytest.approx(page["value"], rel=1e-5)
    top = {page["url"]: page for page in answer("top", "--where", "1", "--n", "1000", "--store", store)}
    for url, row in rows.items():
        assert float(row["importance"]) == pytest.approx(top[url]["importance"], rel=1e-5)
    for name in NAMES:
        best_first = sorted(rows, key=lambda url: int(rows[url][f"{name}_rank"]))
        in_order = [float(rows[url][name]) for url in best_first]
        assert in_order == sorted(in_order, reverse=True)
        assert sorted(int(row[f"{name}_rank"]) for row in rows.values()) == list(range(1, len(rows) + 1))


def test_indegree_counts_pages_once(store: Path) -> None:
    links = answer("sql", "SELECT DISTINCT source, target FROM link WHERE source <> target", "--store", store)
    ends = {row["url"]: row["ends_at"] for row in answer("sql", "SELECT url, ends_at FROM redirect", "--store", store)}
    pairs = {(link["source"], ends.get(link["target"], link["target"])) for link in links if link["source"] not in ends}
    for row in table(store):
        sources = {source for source, target in pairs if target == row["url"] != source}
        assert float(row["indegree"]) == len(sources)


def test_a_value_next_to_none_is_none(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RANKERS, "opic", lambda *_: ({"": np.resize([1e-310, 1e-290], 99)}, []))
    rows = table(store)
    assert {float(row["opic"]) for row in rows} == {0.0, 1e-290}
    none = [int(row["opic_rank"]) for row in rows if float(row["opic"]) == 0.0]
    assert none != sorted(none), "equal values are not in the order of another ranking"


def test_agreement_is_that_of_the_table(store: Path) -> None:
    rows, told = table(store), answer(*COMPARE, "--store", store)
    assert [(pair["one"], pair["other"]) for pair in told["pairs"]] == list(combinations(NAMES, 2))
    assert (told["pages"], told["damping"], told["crawl_damping"], told["jump"]) == (len(rows), 0.85, 0.85, "pages")
    assert [int(row["importance_rank"]) for row in rows] == list(range(1, len(rows) + 1))
    for pair in told["pairs"]:
        ranks = [f"{pair[one]}_rank" for one in ("one", "other")]
        of_both = [(float(row[pair["one"]]), float(row[pair["other"]])) for row in rows]
        assert pair["kendall"] == pytest.approx(slow_tau(of_both))
        for k, share in pair["overlaps"].items():
            first = [{row["url"] for row in rows if int(row[rank]) <= int(k)} for rank in ranks]
            assert share == len(first[0] & first[1]) / min(int(k), len(rows))
    lines = run(*COMPARE, "--store", store).stdout.splitlines()
    assert lines[0] == f"{len(rows)} pages. Walkers follow a link 85 % of the time and jump to pages."
    assert len(lines) == 2 + len(told["pairs"])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--compare", "importance,fame"], "--compare takes importance, indegree,"),
        (["--compare", "importance"], "two rankings or more"),
        (["--compare", "hits,hits"], "two rankings or more"),
        (["--compare", "hits,opic", "--by", "hits"], "leave --by and --save out"),
        (["--compare", "importance,opic", "--damping", "0.5"], "--damping goes with --compare pagerank"),
        (["--csv"], "--plot and --csv go with --compare"),
    ],
)
def test_what_cannot_be_compared_is_refused(store: Path, words: list[str], why: str) -> None:
    result = run("rank", *words, "--store", store)
    assert (result.exit_code, why in result.stderr) == (SettingError.exit_code, True), result.stderr


def test_plot_has_a_curve_for_each_other_ranking(store: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "ranks.svg"
    assert run(*COMPARE, "--plot", file, "--store", store).exit_code == 0
    texts = [element.text for element in ElementTree.parse(file).iter() if element.tag.endswith("text")]
    assert set(NAMES[1:]) <= set(texts)

"""Archives read in place of the network, and archives that keep a share of the pages, as in one process."""

from pathlib import Path

import pytest
from support.archives import answers
from support.literal_webs import assert_same, crawl, page
from support.prose import prose
from support.sites import rows

from minicrawl.archive.check import check
from minicrawl.archive.collection import Collection
from minicrawl.cluster.folder import found

HOMES = [f"http://h{number}.test/" for number in range(6)]
"""In both of two partitions; those of h0 and h3 in the second."""
WEB = {home: page([f"{home}a", f"{home}b", f"{home}missing", *HOMES], prose(1, 60) + home) for home in HOMES}
WEB |= {f"{home}{name}": page([home], prose(2, 60) + home + name) for home in HOMES for name in "ab"}


def pages_of(home: str) -> list[str]:
    return [home, f"{home}a", f"{home}b"]


def test_archive_in_place_of_the_network_is_read_by_all_partitions(tmp_path: Path) -> None:
    """A collection with an index, and loose files, which are indexed once; without delays."""
    crawl(WEB, HOMES[:1], tmp_path / "live.db", archive=tmp_path / "kept")
    for name, place in (("web", "kept"), ("loose", "kept/archive")):
        ended = crawl({}, HOMES[:1], tmp_path / name, 2, from_archive=tmp_path / place, delay=60.0)
        assert ended.seconds < 60
        crawl({}, HOMES[:1], tmp_path / f"{name}.db", from_archive=tmp_path / place, delay=60.0)
        reasons = assert_same(tmp_path / name, tmp_path / f"{name}.db")
        assert {url for url, reason in reasons.items() if reason == "ok"} == WEB.keys()


@pytest.mark.slow
def test_only_pages_that_are_important_among_those_of_all_partitions_are_archived(tmp_path: Path) -> None:
    """All in one of two; in the second run, when all is known."""
    hubs = [HOMES[0], f"{HOMES[0]}a", f"{HOMES[0]}b", HOMES[3]]
    web = {url: page([*pages_of(home), f"{home}missing", *hubs]) for home in HOMES for url in pages_of(home)}
    kept = {}
    for name, partitions in (("web", 2), ("one.db", None)):
        crawl(web, HOMES, tmp_path / name, partitions, recrawl_after="30d")
        for store in found(tmp_path / name).stores if partitions else [tmp_path / name]:
            rows(store, "UPDATE refresh SET fetched_at = fetched_at - 3e6, due = due - 3e6")
        archive = tmp_path / f"kept {name}"
        assert crawl(web, [], tmp_path / name, archive=archive, archive_top="15%").fetched == 24
        kept[name] = {one.url for one in answers(archive)} & {url for home in HOMES for url in pages_of(home)}
    assert kept["web"] == kept["one.db"] == set(hubs)


@pytest.mark.slow
def test_bodies_that_another_archive_has_are_kept_by_no_partition(tmp_path: Path) -> None:
    web = {url: document + prose(3, 300) for url, document in WEB.items()}
    crawl(web, HOMES[:1], tmp_path / "before.db", archive=tmp_path / "other")
    revisits = []
    for name, partitions in (("web", 2), ("one.db", None)):
        folder = tmp_path / f"kept {name}"
        crawl(web, HOMES[:1], tmp_path / name, partitions, archive=folder, dedup_with=(tmp_path / "other",))
        assert check(Collection(folder), deep=True).wrong == []
        revisits.append({one.url for one in answers(folder) if one.kind == "revisit"})
    assert revisits[0] == revisits[1]
    assert web.keys() <= revisits[0]

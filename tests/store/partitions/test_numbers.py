"""Numbers of a crawl are dense, and lead back to the pages that they stand for."""

from pathlib import Path

import numpy as np
from support.cluster_folders import some_folder
from support.partition_twins import THREE

from minicrawl.cluster.folder import found
from minicrawl.store.partitions.numbers import Numbers, in_flight, posted


def test_every_page_has_one_number_and_a_mirror_that_of_its_page(three: tuple[Path, Path]) -> None:
    with found(three[1]).opened() as stores:
        known = [dict(enumerate(store.page_table.urls())) for store in stores]
        numbers = Numbers(stores)
        urls = [url for store in stores for url in store.page_table.urls()]
        assert sorted(urls) == sorted(THREE)
        assert numbers.find(urls) == {url: number for number, url in enumerate(urls)}
        for number, of_part in enumerate(known):
            ends = numbers.ends(number, np.array(list(of_part)))
            assert [urls[end] for end in ends.tolist()] == list(of_part.values())
        for page, url in enumerate(urls):
            number, part, own = numbers.at(page)
            assert part.page_table.url(own) == url == known[number][own]
            assert numbers.of(number, own) == page
        for some in numbers.split(np.arange(numbers.size)):
            assert some.pages.tolist() == numbers.kept(some.number).tolist()


def test_a_host_is_where_its_pages_are(three: tuple[Path, Path]) -> None:
    with found(three[1]).opened() as stores:
        numbers = Numbers(stores)
        rows = [row for number, part in enumerate(stores) for row in numbers.own_hosts(number, part.hosts.all())]
        assert sorted(row.name for row in rows) == ["a.test", "b.test", "c.test"]
        for row in rows:
            _, part, own = numbers.host_at(row.id)
            assert own in [host.id for host in part.hosts.all() if host.name == row.name]


def test_pages_on_their_way_belong_to_the_partition_that_knows_them(tmp_path: Path) -> None:
    with some_folder(tmp_path / "web", exchanges=0).opened() as stores:
        assert list(in_flight(stores, [posted(store) for store in stores]))
        numbers = Numbers(stores)
        assert numbers.adopted > 0
        assert numbers.unsent.shape == (numbers.size,)
        assert numbers.unsent.any()
        urls = {url for store in stores for url in store.page_table.urls()}
        known = numbers.find([*urls, "http://unknown.test/", "http://h1.test/unknown"])
        assert known.keys() == urls
        assert sorted(known.values()) == list(range(numbers.size))

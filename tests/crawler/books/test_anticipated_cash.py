"""The sums behind the order by anticipated cash, held to what they say, counted anew."""

from pathlib import Path

from support.sites import crawl, random_site, rows


def host(url: str) -> str:
    return url.split("/")[2]


def counted(store: Path) -> dict[str, tuple[int, int]]:
    """C and R of every host that has a page, as its pages say."""
    query = """
        SELECT hosts.name, sum(iif(visited, 0, standing)), sum(visited)
        FROM pages JOIN hosts ON hosts.id = pages.host GROUP BY hosts.id"""
    return {name: (waiting, visited) for name, waiting, visited in rows(store, query)}


def kept(store: Path) -> dict[str, tuple[int, int]]:
    query = "SELECT name, waiting, anticipated_hosts.visited FROM anticipated_hosts JOIN hosts ON hosts.id = host"
    return {name: (waiting, visited) for name, waiting, visited in rows(store, query)}


def test_sums_are_those_of_the_pages(tmp_path: Path) -> None:
    site, seeds = random_site(5, pages=90)
    store = tmp_path / "crawl.db"
    crawl(site, store, seeds, pages=23, strategy="anticipated", ignore_robots=True)
    assert kept(store) == counted(store)

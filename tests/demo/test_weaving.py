"""A web is drawn whole: as many pages as asked for, every link to something."""

from random import Random

from minicrawl.demo.resources import Page
from minicrawl.demo.weaving import Loom


def test_sites_have_the_pages_asked_for_and_home_pages_link_to_what_there_is() -> None:
    loom = Loom(Random(2), hosts=8, pages=200)
    assert sum(isinstance(resource, Page) for resource in loom.resources.values()) == 200
    loom.weave()
    for host in range(8):
        home = loom.resources[loom.root(host)]
        assert isinstance(home, Page)
        dead = {url for url in home.outlinks() if url not in loom.resources and not url.startswith(loom.calendar)}
        assert all("/gone/" in url for url in dead)


def test_traps_hang_on_the_second_host() -> None:
    loom = Loom(Random(0), hosts=3, pages=60)
    prefix = loom.set_traps()
    home = loom.resources[loom.root(1)]
    assert isinstance(home, Page)
    assert sum(url.startswith(prefix) for url in home.outlinks()) == 4

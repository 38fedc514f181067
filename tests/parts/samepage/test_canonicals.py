"""Pages that name another as canonical: it is read, or they stand for themselves."""

from pathlib import Path

import pytest
from support.prose import WORDS, prose
from support.sites import Server, Site, canonical, crawl, faults_in, states

PAGES = 200
HOME = "https://a.test/"
FOLDER = f"{HOME}de/stable/"
WAYS = {
    "there": (FOLDER, "alias canonical", 2 * PAGES + 10),
    "missing": (FOLDER, "fetched canonical-", PAGES + 20),
    "by http, which redirects to https": ("http://a.test/de/", "fetched canonical-loop", 2 * PAGES + 10),
    "forbidden": (f"{HOME}print/", "fetched canonical-unread", PAGES + 1),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_page_stands_for_one_that_is_not_read(way: str, store: Path) -> None:
    folder, state, most = WAYS[way]
    names = [f"{WORDS[number % 60]}{number}.html" for number in range(PAGES)]
    site: Site = {HOME: [f"{HOME}de/{names[0]}"]}
    for number, name in enumerate(names):
        below = [f"{HOME}de/{other}" for other in names[2 * number + 1 :][:2]]
        own = [canonical(f"{folder}{name}"), f"<title>Of {name}</title>", prose(number, 60), *below]
        site[f"{HOME}de/{name}"] = own
        if way == "there":
            site[f"{folder}{name}"] = own
        elif folder.startswith("http:"):
            site[f"{folder}{name}"] = f"{HOME}de/{name}"
    _, server = crawl(Server(site, robots="User-agent: *\nDisallow: /print/"), store, [HOME])
    found = states(store)
    assert {found[f"{HOME}de/{name}"][: len(state)] for name in names} == {state}
    if way == "there":
        assert {found[f"{folder}{name}"] for name in names} == {"fetched ok"}
    assert len(server.asked) <= most
    assert faults_in(store) == []

"""Folders and the flow between sections, against slow sums over small webs."""

import random

import numpy as np
import pytest

from minicrawl.report.shape import Folder, Shape

URLS = [
    "http://www.a.test/",
    "http://www.a.test/x/1",
    "http://www.a.test/x/2?q=/no/folder/",
    "http://www.a.test/y/deep/3",
    "http://blog.a.test/p",
    "http://b.test/only/one/",
]
IMPORTANCE = np.array([0.3, 0.1, 0.2, 0.1, 0.2, 0.1])


def shape(urls: list[str] = URLS, importance: np.ndarray = IMPORTANCE) -> Shape:
    return Shape(urls, importance, np.arange(len(urls)) % 2 == 0)


def every(folder: Folder) -> list[Folder]:
    return [folder, *(inner for each in folder.inside for inner in every(each))]


def test_folders_are_sites_hosts_and_paths_with_the_sums_below_them() -> None:
    found = {folder.name: folder for folder in every(shape().tree())}
    sums = {name: (round(folder.importance, 6), folder.pages, folder.read) for name, folder in found.items()}
    assert sums == {
        "": (1.0, 6, 3),
        "a.test": (0.9, 5, 3),
        "www.a.test/": (0.7, 4, 2),
        "www.a.test/x/": (0.3, 2, 1),
        "www.a.test/y/deep/": (0.1, 1, 0),
        "blog.a.test/": (0.2, 1, 1),
        "b.test/only/one/": (0.1, 1, 0),
    }
    assert URLS[found["www.a.test/x/"].best] == URLS[2]
    assert found["www.a.test/y/deep/"].label == "y/deep/"
    assert [inner.name for inner in found["www.a.test/"].inside] == ["www.a.test/x/", "www.a.test/y/deep/"]


def test_one_site_with_one_host_begins_where_it_branches() -> None:
    tree = shape(["http://a.test/3/", "http://a.test/3/x/1", "http://a.test/3/y/2"], np.array([0.2, 0.5, 0.3])).tree()
    assert (tree.name, [inner.label for inner in tree.inside]) == ("a.test/3/", ["x/", "y/"])


@pytest.mark.parametrize("n", [1, 3, 10])
def test_sections_are_disjoint_and_have_every_page(n: int) -> None:
    sections = shape().sections(n)
    members = np.concatenate([section.members for section in sections])
    assert len(members) == len(set(members.tolist()))
    assert sum(section.pages for section in sections) == len(URLS)
    assert sum(section.importance for section in sections) == pytest.approx(1.0)
    assert len(sections) <= n + 1  # all other pages


def test_flow_is_what_each_page_gives_to_all_it_links_to() -> None:
    draw = random.Random(1)
    urls = [f"http://h{number % 3}.test/{draw.choice('abc')}/{number}" for number in range(40)]
    importance = np.array([draw.random() for _ in urls])
    links = sorted({(draw.randrange(40), draw.randrange(40)) for _ in range(300)})
    found = shape(urls, importance)
    flow = found.flow(7, *np.array(links).T)
    named = {url: next(n for n, s in enumerate(flow.sections) if url in _urls_of(s, urls)) for url in urls}
    slow = np.zeros((len(flow.sections),) * 2)
    for source, target in links:
        others = sum(one == source != other for one, other in links)
        if source != target:
            slow[named[urls[source]], named[urls[target]]] += importance[source] / others
    assert flow.given == pytest.approx(slow)
    assert flow.shares().sum(axis=1) == pytest.approx(1.0)


def _urls_of(section: Folder, urls: list[str]) -> set[str]:
    folders = list(dict.fromkeys(url[: url.rfind("/") + 1] for url in urls))
    names = {folders[member] for member in section.members.tolist()}
    return {url for url in urls if url[: url.rfind("/") + 1] in names}

"""Mirrored hosts, against webs of which the mirrors are known."""

import itertools

import numpy as np
import pytest
from support.mirrored_hosts import columns_of, mirrored_web

from minicrawl.crawler.html.fingerprint import sketch_of
from minicrawl.rank.mirrors import mirrors

PAGES = 40


@pytest.mark.parametrize("seed", [101, 102])
def test_mirrors_are_found_and_sites_made_alike_are_not(seed: int) -> None:
    web = mirrored_web(seed)
    columns = columns_of(web.pages)
    found = columns.groups(columns.mirrors(np.arange(len(columns.host))))
    assert (web.precision(found) >= 0.95, web.recall(found) >= 0.95) == (True, True)
    read = np.flatnonzero(np.random.default_rng(seed).random(len(columns.host)) < 0.7)
    found = columns.groups(columns.mirrors(read))
    assert (web.precision(found) >= 0.9, web.recall(found) >= 0.8) == (True, True)


def sketch_of_parts(*parts: int) -> np.ndarray:
    """The sketch of a page of some parts, each of 100 runs of words that its number draws."""
    runs = [np.random.default_rng(part).integers(2**32, size=100, dtype=np.uint32) for part in parts]
    return np.frombuffer(sketch_of(np.concatenate(runs)) or b"", np.uint64)


@pytest.mark.parametrize("own", [0, 1, 4])
@pytest.mark.parametrize("common", [0, 2, 4])
@pytest.mark.parametrize("shared", [10, 9, 6])
def test_share_of_content_is_told_whatever_the_frames(own: int, common: int, shared: int) -> None:
    """Pages of 10 parts of content, of which `shared` are on both hosts, with parts of a frame on one host or both."""
    number = itertools.count()
    both = [next(number) for _ in range(common)]
    frames = [[next(number) for _ in range(own)] for _ in range(2)]
    sketches: list[list[np.ndarray]] = [[], []]
    for _ in range(PAGES):
        carried = [next(number) for _ in range(shared)]
        for host in range(2):
            content = [*carried, *(next(number) for _ in range(10 - shared))]
            sketches[host].append(sketch_of_parts(*content, *frames[host], *both))
    rows = np.arange(2 * PAGES)
    found = mirrors(rows // PAGES, rows % PAGES, rows, np.array([*sketches[0], *sketches[1]]))
    x = shared / (20 - shared) * 2 / (1 + shared / (20 - shared))
    assert x == pytest.approx(shared / 10)
    if shared == 6:
        assert not len(found.a)
    else:
        assert (found.a.tolist(), found.b.tolist(), found.compared.tolist()) == ([0], [1], [PAGES])
        assert found.alike[0] == pytest.approx(shared / 10, abs=0.06)


@pytest.mark.parametrize(("others", "is_mirror"), [(9, True), (10, False)])
def test_mirrors_share_two_fifths_of_the_paths_of_the_host_with_fewer_pages(others: int, is_mirror: bool) -> None:
    """Host 0 has 30 pages, host 1 six of these and some others."""
    host = np.array([0] * 30 + [1] * (6 + others))
    path = np.array([*range(30), *range(6), *range(50, 50 + others)])
    sketch = np.array([sketch_of_parts(number) for number in path.tolist()])
    assert mirrors(host, path, path, sketch).compared.tolist() == [6] * is_mirror


def test_without_pages_there_are_no_mirrors() -> None:
    none = np.zeros(0, np.int64)
    assert not len(mirrors(none, none, none, np.zeros((0, 5), np.uint64)).a)


def test_short_pages_without_a_sketch_are_alike_only_by_their_bytes() -> None:
    host, path, rows = np.repeat([0, 1], 9), np.tile(np.arange(9), 2), np.arange(18)
    nothing = np.zeros((18, 5), np.uint64)
    assert not len(mirrors(host, path, rows, nothing).a)
    assert mirrors(host, path, path, nothing).alike.tolist() == [1.0]

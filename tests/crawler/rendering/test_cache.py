"""Scripts are kept for a while, and no more of them than there is room for."""

import pytest

from minicrawl.crawler.rendering.cache import Resource, ResourceCache

URL = "http://h.test/app.js"


def resource(size: int = 10, status: int = 200, **headers: str) -> Resource:
    return Resource(URL, status, {name.replace("_", "-"): value for name, value in headers.items()}, b"x" * size)


def test_a_script_is_kept_for_an_hour():
    now = [0.0]
    cache = ResourceCache(lambda: now[0])
    cache.put(URL, resource())
    now[0] = 3599.0
    assert cache.get(URL) == resource()
    now[0] = 3601.0
    assert cache.get(URL) is None
    assert cache.get("http://h.test/other.js") is None


@pytest.mark.parametrize(
    "found", [resource(status=404), resource(status=206), resource(cache_control="private, No-Store"), resource(101)]
)
def test_what_is_not_to_be_kept_is_not(found):
    cache = ResourceCache(lambda: 0.0, most=100)
    cache.put(URL, found)
    assert (cache.get(URL), cache.size) == (None, 0)


def test_what_came_first_goes_first_and_the_size_is_that_of_all():
    cache = ResourceCache(lambda: 0.0, most=100)
    for number in range(50):
        cache.put(f"http://h.test/{number % 20}", resource(number))
        kept = {n: cache.get(f"http://h.test/{n}") for n in range(20)}
        assert cache.size == sum(len(found.body) for found in kept.values() if found) <= 100
        assert kept[number % 20] == resource(number)

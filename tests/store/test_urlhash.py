"""The hash under which a URL is found."""

from minicrawl.store.urlhash import url_hash

KEY = b"k" * 16


def test_hashes_of_an_origin_stand_together() -> None:
    first, second, other = (url_hash(url, KEY) for url in ("http://a.test/1", "http://a.test/2", "http://b.test/1"))
    assert first >> 32 == second >> 32
    assert first >> 32 != other >> 32
    assert len({first, second, other}) == 3


def test_hash_takes_six_bytes_and_depends_on_the_key() -> None:
    urls = [f"http://h{number}.test/{number}" for number in range(200)]
    hashes = [url_hash(url, KEY) for url in urls]
    assert all(-(2**47) <= number < 2**47 for number in hashes)
    assert min(hashes) < 0 < max(hashes)
    assert hashes != [url_hash(url, b"other") for url in urls]
    assert hashes == [url_hash(url, KEY) for url in urls]

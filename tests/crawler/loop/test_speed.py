"""How fast a crawl is."""

import random

import pytest

from minicrawl.crawler.loop.speed import Speed


def test_speed_is_that_of_the_last_seconds() -> None:
    rng, speed = random.Random(3), Speed(10.0)
    lately: list[tuple[float, int, int]] = []
    seconds, fetched, size = 0.0, 0, 0
    for _ in range(300):
        lately.append((seconds, fetched, size))
        speed.note(seconds, fetched, size)
        # The last look that is ten seconds old or older, or the first.
        since = max((look for look in lately if seconds - look[0] >= 10), default=lately[0])
        passed = seconds - since[0]
        expected = (fetched - since[1]) / passed if passed else 0.0
        assert speed.now().pages == pytest.approx(expected)
        seconds, fetched, size = seconds + rng.random(), fetched + rng.randrange(9), size + rng.randrange(999)
    speed.forget()
    speed.note(0.0, 0, 0)
    assert speed.now() == (0.0, 0.0)

"""Noise: another one at every fetch, the same for the same time."""

import pytest

from minicrawl.crawler.html.parse import parse_html
from minicrawl.demo.changing.noise import NOISES

URL = "http://a.test/"


@pytest.mark.parametrize("kind", NOISES)
def test_differs_at_every_fetch_and_is_the_same_at_the_same_time(kind):
    makes = [NOISES[kind](URL, 1_800_000_000.0 + fetch) for fetch in range(20)]
    assert len(set(makes)) == 20
    assert makes[7] == NOISES[kind](URL, 1_800_000_007.0)


@pytest.mark.parametrize("kind", NOISES)
def test_has_no_links(kind):
    body = f"<p>Text</p>{NOISES[kind](URL, 1_800_000_000.5)}".encode()
    assert parse_html(body, URL, "text/html").outlinks == ()


def test_comments_stay_while_others_come():
    first, second = (NOISES["comments"](URL, float(written)) for written in (6401, 6405))
    assert second.startswith(first.removesuffix("</section>"))
    assert second.count("<p>") == first.count("<p>") + 4
    assert NOISES["comments"](URL, 6464.0).count("<p>") == 1


def test_a_rotating_list_varies_in_length():
    lengths = {NOISES["rotating list"](URL, float(time)).count("<li>") for time in range(200)}
    assert lengths == set(range(3, 9))

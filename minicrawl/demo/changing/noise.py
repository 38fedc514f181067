"""What a page has that differs at every fetch, though nothing in it has changed."""

from collections.abc import Callable, Mapping
from random import Random

from minicrawl.demo.words import drawn_title

_IN_A_THREAD = 64


def _nonce(_: str, now: float) -> str:
    return f'<script nonce="{_random(now).getrandbits(128):032x}">var page = 1;</script>'


def _date(_: str, now: float) -> str:
    return f"<div>Asked for at second {now:.6f} of the epoch</div>"


def _ad(_: str, now: float) -> str:
    random = _random(now)
    return f'<div class="ad">{drawn_title(random)}! {drawn_title(random)}, {drawn_title(random)}.</div>'


def _counter(_: str, now: float) -> str:
    return f"<div>You are visitor number <b>{int(1000 * now) % 100_000_000:,}</b> of this page.</div>"


def _rotating_list(_: str, now: float) -> str:
    """Three to eight titles: not even their number stays."""
    random = _random(now)
    titles = "".join(f"<li>{drawn_title(random)}</li>" for _ in range(random.randint(3, 8)))
    return f'<aside><h2>Others read</h2><ul class="others">{titles}</ul></aside>'


def _comments(url: str, written: float) -> str:
    """A thread that grows by one comment at a time, and is closed with the sixty-fourth."""
    newest = int(written)
    shown = range(newest - newest % _IN_A_THREAD, newest + 1)
    texts = (f"<p>{number}: {drawn_title(Random(f'{url} {number}'))}.</p>" for number in shown)
    return f'<section class="comments">{"".join(texts)}</section>'


NOISES: Mapping[str, Callable[[str, float], str]] = {
    "nonce": _nonce,
    "date": _date,
    "ad": _ad,
    "counter": _counter,
    "rotating list": _rotating_list,
    "comments": _comments,
}
"""HTML for a page's URL and the time: seconds; of comments, how many have been written anywhere."""


def _random(now: float) -> Random:
    return Random(repr(now))

"""A web of sites of very different sizes that hardly link to each other, a function of its seed: sixty by default.

Some front pages have 400 to 2,000 links, most 20 to 100, and there are sites of one page and of three. A few sites are
named by many others: in running text, in lists and by footers. Some have an old domain that redirects to them, and that
their own pages and others still link to; some a sitemap with pages that nothing links to; some archives, whose items
only their lists lead to. Some links are broken, and some hosts take their time.

In tests/, `python -m support.sparse_web PORT [SECONDS [SEED]]` serves it on 127.0.0.1 for all its hosts, with the
seconds that slow ones take, and prints the fronts; `--connect-to ::127.0.0.1:PORT --allow-private` leads a crawl there.
"""

import asyncio
import random
import sys
from collections.abc import Mapping, Sequence
from itertools import accumulate

from support.prose import WORDS

from minicrawl.demo.resources import Reply
from minicrawl.demo.web import serving_answers

SIXTY = (2000, 1000, 600, 400, *(int(20 + 240 * (1 - rank / 52) ** 3.5) for rank in range(52)), 3, 3, 1, 1)
"""Pages of each site, but for items of archives. The front page of one with 400 has links to all, of others to 50."""
_HTML = {"Content-Type": "text/html; charset=utf-8"}


class SparseWeb:
    """`pages`: the body of each by URL. latency: seconds that an answer of every sixth site takes."""

    def __init__(self, sizes: Sequence[int] = SIXTY, seed: int = 0, latency: float = 0.0) -> None:
        self._seed, self._latency = seed, latency
        names = [f"{WORDS[rank]}{WORDS[-rank - 1]}" for rank in range(len(sizes))]
        draw = random.Random(f"{seed} web")
        self.seeds = [f"http://{name}.test/" for name in names]
        self._by_fame = draw.sample(names, len(names))
        self._fame = list(accumulate(1 / (rank + 2) for rank in range(len(names))))
        self._old = set(draw.sample(names, len(names) // 6))
        self._slow = {f"{name}.test" for name in names[3::6]}
        self._paths = {
            name: ["/", *(f"/{WORDS[page % 9]}/{_word(page)}" for page in range(1, size))]
            for name, size in zip(names, sizes, strict=True)
        }
        self.pages: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        """robots.txt files and sitemaps."""
        for number, name in enumerate(names):
            self._make(number, name)

    def _make(self, number: int, name: str) -> None:
        draw, paths, home = random.Random(f"{self._seed} {name}"), self._paths[name], f"http://{name}.test"
        front = paths[1:] if len(paths) >= 400 else paths[1:100:2] if len(paths) > 20 else paths[1:]
        hidden = set(paths[-len(paths) // 20 :]) if number % 5 == 1 else set[str]()  # only the sitemap has them
        popular = draw.sample(paths, len(paths))
        chances = list(accumulate(1 / (rank + 1) ** 0.8 for rank in range(len(paths))))
        made_with = _link(f"http://{self._by_fame[0]}.test/", "Made with") if draw.random() < 0.2 else ""
        lists = 5 + number % 8 if number % 4 == 2 and len(paths) > 30 else 0
        menu = "".join(_link(path, path[1:] or "Home") for path in [*paths[:6], *(["/archive/1"] if lists else [])])
        frame = f"<nav>{menu}</nav><main>{{}}</main><footer>All rights reserved by {name}. {made_with}</footer>"

        def add(path: str, links: str) -> None:
            text = self._text(name, path, draw.choice((80, 150, 150, 300, 600)))
            self.pages[home + path] = f"<title>{path} of {name}</title>" + frame.format(f"<h1>{path}</h1>{text}{links}")

        for place, path in enumerate(paths):
            texts = draw.choices(popular, cum_weights=chances, k=draw.randrange(2, 7))
            if len(paths) > 100 and place % 3 == 0:
                texts += paths[place + 1 : place + 9]
            words = [_link(self._own(draw, name) + at, at) for at in texts if at not in hidden]
            if draw.random() < 0.06:
                words.append(_link(self._other(draw, name), "as others say"))
            if draw.random() < 0.04:
                words.append(_link(f"{draw.choice(paths)}{draw.choice(WORDS)}", "lost"))
            entries = [_link(at, at) for at in front if at not in hidden] if path == "/" else []
            if place == 4 and draw.random() < 0.4:
                entries += [_link(self._other(draw, name), "a friend") for _ in range(draw.randrange(4, 16))]
            add(path, f"<p>{' and '.join(words)}</p><ul><li>{'<li>'.join(entries)}</ul>")
        for at in range(1, lists + 1):
            items = [f"/item/{_word(10 * at + item)}" for item in range(10)]
            for item in items:
                add(item, _link(f"/archive/{at}", "back to the list") + _link(draw.choice(items), "one beside it"))
            pager = _link(f"/archive/{at + 1}", "Next") if at < lists else ""
            add(f"/archive/{at}", f"<ul><li>{'<li>'.join(_link(item, item) for item in items)}</ul>{pager}")
        if hidden or number % 5 == 3:
            self.texts[f"{home}/robots.txt"] = f"User-agent: *\nDisallow:\nSitemap: {home}/sitemap.xml\n"
            urls = "".join(f"<url><loc>{home}{path}</loc></url>" for path in paths)
            self.texts[f"{home}/sitemap.xml"] = f'<?xml version="1.0"?><urlset xmlns="{_XMLNS}">{urls}</urlset>'

    def _own(self, draw: random.Random, name: str) -> str:
        """What a link of a site to itself begins with: mostly its path."""
        return f"http://old-{name}.test" if name in self._old and draw.random() < 0.05 else ""

    def _other(self, draw: random.Random, name: str) -> str:
        """A page of another site, mostly its front page."""
        other = draw.choices(self._by_fame, cum_weights=self._fame)[0]
        if other == name:
            other = self._by_fame[0 if name != self._by_fame[0] else 1]
        prefix = "old-" if other in self._old and draw.random() < 0.3 else ""
        return f"http://{prefix}{other}.test{'/' if draw.random() < 0.7 else draw.choice(self._paths[other][:40])}"

    def _text(self, name: str, path: str, words: int) -> str:
        """Paragraphs of sentences that no other page has."""
        draw = random.Random(f"{self._seed} {name}{path}")
        sentences = (" ".join(draw.choices(WORDS, k=30)) for _ in range(words // 30))
        return "".join(f"<p>{sentence} {draw.randrange(10**6)}.</p>" for sentence in sentences)

    def answer(self, url: str, _: Mapping[str, str] = {}) -> Reply:
        """What the server says to a GET."""
        host = url.split("/")[2]
        if host.startswith("old-"):
            return Reply(301, {"Location": url.replace("old-", "", 1)}, b"")
        delay = self._latency if host in self._slow else 0.0
        if url in self.texts:
            kind = "text/plain" if url.endswith(".txt") else "application/xml"
            return Reply(200, {"Content-Type": kind}, self.texts[url].encode(), delay)
        body = self.pages.get(url)
        if body is None:
            return Reply(404, _HTML, b"<title>Not found</title>There is no such page.", delay)
        return Reply(200, _HTML, body.encode(), delay)


_XMLNS = "http://www.sitemaps.org/schemas/sitemap/0.9"


def _word(number: int) -> str:
    """A word that is no number, as those may be taken for a trap."""
    return f"{WORDS[number % 97]}-{WORDS[number // 97]}"


def _link(url: str, text: str) -> str:
    return f'<a href="{url}">{text}</a> '


async def _serve(port: int, latency: float = 0.0, seed: float = 0) -> None:
    web = SparseWeb(seed=int(seed), latency=latency)
    async with serving_answers(web.answer, port):
        sys.stdout.writelines(f"{seed}\n" for seed in web.seeds)
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), *map(float, sys.argv[2:])))

"""News: how many articles, and how many fresh ones, does a crawl with and without `--focus-type news` read?

    python bench/news.py [--webs 5] [--focus news] [--seed 0]

Each made-up web has ten news sites and twenty others, some 4,000 pages. A news site has a front page with the latest
articles, sections, an archive by month, and articles of two years that link to a few of their section; half of the
sites have the date in their URLs, a third only in JSON-LD, the others in the name of the page. All have a feed that
their pages name. Other sites have pages in a tree, some of them under a date, such as release notes, and cite articles
here and there. Fresh are articles of the last seven days of the web. Printed are the shares of all articles and of the
fresh ones that are among the first 5, 10, 20 and 40 % of the pages: mean and standard deviation over the webs.
"""

import argparse
import json
import random
import sqlite3
import sys
import tempfile
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

import httpx
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.sites import Server, Site, crawl

TODAY = date(2026, 11, 23)
SHARES = (0.05, 0.1, 0.2, 0.4)
SECTIONS = ("world", "economy", "culture", "sports", "science")
_WORDS = [
    a + b + c for a in ("ba", "de", "ki", "lo") for b in ("sto", "rim", "gal") for c in ("ven", "tur", "nop", "x")
]


class NewsWeb(NamedTuple):
    """site: pages by URL. dates: of the articles."""

    site: Site
    dates: dict[str, date]
    seeds: list[str]


class Article(NamedTuple):
    url: str
    section: str
    at: date


class WithFeeds(Server):
    """Serves what ends in feed.xml as RSS."""

    def __init__(self, site: Site) -> None:
        super().__init__(site)
        pages = self.handler

        def handler(request: httpx.Request) -> httpx.Response:
            url = str(request.url)
            if url.endswith("feed.xml") and url in site:
                items = "".join(f"<item><link>{link}</link></item>" for link in site[url])
                body = f"<?xml version='1.0'?><rss version='2.0'><channel>{items}</channel></rss>"
                return httpx.Response(200, headers={"content-type": "application/rss+xml"}, text=body)
            page = pages(request)
            assert isinstance(page, httpx.Response)
            return page

        self.handler = handler


def news_web(seed: int) -> NewsWeb:
    draw = random.Random(seed)
    site, dates = Site(), dict[str, date]()
    hosts = [f"http://paper{number}.test" for number in range(10)]
    for number, host in enumerate(hosts):
        _news_site(draw, host, "dated" if number % 2 else "plain" if number % 3 else "named", site, dates)
    articles = list(dates)
    others = [f"http://site{number}.test" for number in range(20)]
    for host in others:
        _other_site(draw, host, site, articles, [*hosts, *others])
    for host in hosts:  # advertisements
        site[host + "/"] += [draw.choice(others) + "/" for _ in range(2)]
    return NewsWeb(site, dates, [draw.choice(others) + "/" for _ in range(3)] + [draw.choice(hosts) + "/"])


def _text(draw: random.Random) -> str:
    return f"<p>{' '.join(draw.choices(_WORDS, k=80))}</p>"


def _news_site(draw: random.Random, host: str, kind: str, site: Site, dates: dict[str, date]) -> None:
    articles = []
    for number in range(draw.randrange(100, 220)):
        at = TODAY - timedelta(days=int(730 * draw.random() ** 2.5))
        section, slug = draw.choice(SECTIONS), "-".join(draw.choices(_WORDS, k=3))
        path = {
            "dated": f"{at:%Y/%m/%d}/{slug}",
            "named": f"{section}/{slug}-{at:%Y-%m-%d}.html",
            "plain": f"{section}/{slug}-{10_000 + number}",
        }[kind]
        articles.append(Article(f"{host}/{path}", section, at))
    articles.sort(key=lambda article: article.at, reverse=True)
    months, of = defaultdict[str, list[str]](list), defaultdict[str, list[Article]](list)
    for article in articles:
        months[f"{host}/archive/{article.at:%Y-%m}"].append(article.url)
        of[article.section].append(article)
    sections = [f"{host}/{section}/" for section in of]
    feed = f'<link rel="alternate" type="application/rss+xml" href="{host}/feed.xml">'
    about = [f"{host}/{name}" for name in ("about", "imprint", "subscribe", "jobs")]
    menu = [feed, f"{host}/", *sections, f"{host}/archive/", *about]
    site[f"{host}/"] = [*menu, _text(draw), *(article.url for article in articles[:20])]
    site[f"{host}/feed.xml"] = [article.url for article in articles[:15]]
    site[f"{host}/archive/"] = [*menu, *months]
    site |= {month: [*menu, *urls] for month, urls in months.items()}
    site |= {page: [*menu, _text(draw)] for page in about}
    for section, some in of.items():
        site[f"{host}/{section}/"] = [*menu, _text(draw), *(article.url for article in some[:15])]
        for place, article in enumerate(some):
            near = [other.url for other in some[max(place - 3, 0) : place + 4] if other is not article]
            told = {"@type": "NewsArticle", "headline": "x", "datePublished": f"{article.at}T08:00:00Z"}
            ld = f'<script type="application/ld+json">{json.dumps(told)}</script>'
            site[article.url] = [ld, *menu, _text(draw), *near]
            dates[article.url] = article.at


def _other_site(draw: random.Random, host: str, site: Site, articles: list[str], hosts: list[str]) -> None:
    pages = [f"{host}/"]
    for number in range(draw.randrange(60, 200)):
        word = draw.choice(_WORDS)
        dated = f"releases/{draw.randrange(2008, 2027)}/{draw.randrange(1, 13):02}/{word}{number}"
        pages.append(f"{host}/{dated if draw.random() < 0.05 else f'{word}/{number}.html'}")
    links: Site = {page: [f"{host}/", _text(draw)] for page in pages}
    for number, page in enumerate(pages[1:], start=1):
        links[pages[draw.randrange(number)]].append(page)
        links[page] += draw.sample(pages, 3)
        if draw.random() < 0.1:
            links[page].append(draw.choice(articles) if draw.random() < 0.5 else draw.choice(hosts) + "/")
    site |= links


def harvest(web: NewsWeb, focus: tuple[str, ...]) -> list[float]:
    """The shares of all articles read by each of SHARES, then those of the fresh ones."""
    fresh = {url for url, at in web.dates.items() if TODAY - at < timedelta(days=7)}
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "crawl.db"
        first = [int(share * len(web.site)) for share in SHARES]
        crawl(WithFeeds(web.site), store, web.seeds, pages=first[-1], focus_type=focus, probe=False)
        with sqlite3.connect(store) as db:
            order = [
                url
                for (url,) in db.execute("SELECT url FROM fetches JOIN pages ON pages.id = page ORDER BY fetches.id")
            ]
    read = [set(order[:pages]) for pages in first]
    return [len(some & urls) / len(some) for some in (web.dates.keys(), fresh) for urls in read]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--webs", type=int, default=5)
    parser.add_argument("--focus", default="news")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    webs = [news_web(options.seed + number) for number in range(options.webs)]
    counts = ", ".join(f"{len(web.site):,} pages, {len(web.dates):,} articles" for web in webs[:1])
    print(f"first web: {counts}")
    print(f"{'':<12}" + "".join(f"{f'{what} at {share:.0%}':>16}" for what in ("all", "fresh") for share in SHARES))
    for name, focus in (("without", ()), (options.focus, tuple(options.focus.split(",")))):
        found = 100 * np.array([harvest(web, focus) for web in webs])
        cells = zip(found.mean(axis=0).tolist(), found.std(axis=0, ddof=1).tolist(), strict=True)
        print(f"{name:<12}" + "".join(f"{f'{mean:.1f} ({sd:.1f})':>16}" for mean, sd in cells), flush=True)


if __name__ == "__main__":
    main()

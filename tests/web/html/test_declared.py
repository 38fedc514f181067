"""What a page says of itself, in each of the ways in which it may, and beside each what only looks like it."""

import pytest

from minicrawl.model import Wanted
from minicrawl.web.html.parse import parse_html
from minicrawl.web.kept_text import About, about_of

PROSE = f"<p>{'The story of a long day goes on here, with several words and more of them. ' * 6}</p>"
H1 = "<h1>Title</h1>"
DAY, LATER = "2026-03-05", "2026-03-09"


def ld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>{H1}'


def article(url: str, day: str) -> str:
    return f'{{"@type": "NewsArticle", "url": "{url}", "datePublished": "{day}"}}'


def listed(entry: str) -> str:
    return "<h1>Blog</h1>" + "".join(entry.format(day) for day in range(1, 5))


def read(html: str, url: str = "http://n.test/story") -> About:
    return about_of(parse_html(f"{html}{PROSE}".encode(), url, "text/html; charset=utf-8", Wanted(kept=True)).kept)


def days(about: About) -> tuple[str, str]:
    return (about.published or "")[:10], (about.modified or "")[:10]


@pytest.mark.parametrize(
    ("html", "published", "modified"),
    [
        (ld(f'{{"@type": "NewsArticle", "datePublished": "{DAY}T10:00Z", "dateModified": "{LATER}"}}'), DAY, LATER),
        (ld(f'{{"@graph": [{{"@type": "WebSite"}}, {{"@type": "WebPage", "datePublished": "{DAY}"}}]}}'), DAY, ""),
        (ld(f"[{article('/story', DAY)}, {article('/other', LATER)}]"), DAY, ""),
        (ld(f"[{article('/one', DAY)}, {article('/other', LATER)}]"), "", ""),
        (ld(f'{{"@type": "ItemList", "itemListElement": [{article("/one", DAY)}]}}'), "", ""),
        (ld(f'{{"@type": "Event", "startDate": "{DAY}"}}'), "", ""),
        (f"<meta name=article:published_time content={DAY}><meta name=og:updated_time content={LATER}>", DAY, LATER),
        (f"<meta name=DC.date.issued content={DAY}>{H1}", DAY, ""),
        ("<meta name=sailthru.date content='Thu, 05 Mar 2026 10:00:00 +0000'>", DAY, ""),
        (f"<meta name=last-modified content={DAY}>{H1}", "", DAY),
        (f"<meta name=expires content={DAY}><meta name=event:start_date content={DAY}>{H1}", "", ""),
        ("<meta name=date content=1970-01-01><meta name=pubdate content=2026-13-45>", "", ""),
        (f"{H1}<time itemprop=datePublished datetime={DAY}>5 March</time>", DAY, ""),
        (f"{H1}{PROSE}<h3>Reviews</h3><time itemprop=datePublished datetime={DAY}>5 March</time>", "", ""),
        (f"{H1}<span itemprop=birthDate>{DAY}</span>", "", ""),
        (f"<time datetime={DAY}>then</time>{H1}", DAY, ""),
        (f"{H1}<time datetime={DAY}>x</time>{PROSE}<h2>Comments</h2><time datetime={LATER}>y</time>", DAY, ""),
        (f"{H1}<p>Last updated <time datetime={DAY}>March 5, 2026</time>", "", DAY),
        (f"{H1}<time class=published datetime={DAY}>x</time><time class=updated datetime={LATER}>y</time>", DAY, LATER),
        (listed("<h2><a href=/{0}>Post</a></h2><time datetime=2026-03-0{0}>x</time>"), "", ""),
        (listed("<time datetime=2026-03-0{0}>x</time><h2><a href=/{0}>Post</a></h2>"), "", ""),
        (listed("<h2>Version {0}</h2><p>Released 2026-03-0{0}</p>"), "", ""),
        (f"{H1}<p>Published on March 5, 2026 by Ann Lee</p>", DAY, ""),
        (f"{H1}<p>Publié le 5 mars 2026, mis à jour le 9 mars 2026</p>", DAY, LATER),
        (f"{H1}<p>Veröffentlicht: 05.03.2026</p>", DAY, ""),
        (f"{H1}<p>公開日：2026年3月5日</p>", DAY, ""),
        (f"{H1}<p>Published 03/05/2026</p>", "", ""),
        (f"{H1}<p>Published 03/25/2026</p>", "2026-03-25", ""),
        (f"{H1}<p>By Ann Lee | March 5, 2026 | 5 min read</p>", DAY, ""),
        (f"{H1}<p>5 March 2026</p>", DAY, ""),
        (f"{H1}<p>Thursday, Mar. 5, 2026 10:30 AM</p>", DAY, ""),
        (f"{H1}<p>Thursday, March 5, 2026 is the day of the harbour</p>", "", ""),
        (f"{H1}<p>2026年3月5日 公開 / 2026年3月9日 更新</p>", DAY, LATER),
        (f"{H1}<p>5 March 2026, edited by Bo Ray</p>", DAY, ""),
        (f"{H1}<p>5 March 2026, updated 9 March 2026</p>", DAY, LATER),
        (f"{H1}<time class='entry-date published updated' datetime={DAY}>x</time>", DAY, ""),
        (f"<meta http-equiv=last-modified content='{DAY}'>{H1}", "", DAY),
        (f"<meta http-equiv=expires content='{DAY}'>{H1}", "", ""),
        (f"{H1}<p>Deadline: 5 March 2026</p>", "", ""),
        (f"{H1}<p>On March 5, 2026 the company said that it would be there for all of us.</p>", "", ""),
        (f"{H1}{PROSE}<footer>© 2019-2026 Company</footer>", "", ""),
    ],
)  # fmt: skip
def test_dates_are_those_of_the_page_or_none(html: str, published: str, modified: str) -> None:
    assert days(read(html)) == (published, modified)


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("/2026/03/05/story", DAY),
        ("/blog/2026-03-05-story.html", DAY),
        ("/news/20260305/story", DAY),
        ("/2026/03/story", ""),
        ("/item/20261345", ""),
        ("/story-12026-03-05", ""),
    ],
)
def test_a_url_may_have_the_day(url: str, day: str) -> None:
    assert days(read(H1, f"http://n.test{url}")) == (day, "")


def test_moments_are_in_utc_and_days_begin_at_midnight() -> None:
    assert read("<meta name=date content=2026-03-05T23:30:00-05:00>").published == "2026-03-06T04:30:00Z"
    assert read("<meta name=date content='2026-03-05 9:30'>").published == "2026-03-05T09:30:00Z"
    assert read("<meta name=date content='5 March 2026'>").published == "2026-03-05T00:00:00Z"


@pytest.mark.parametrize(
    ("html", "field", "value"),
    [
        (ld('{"@type": "Article", "author": [{"name": "Ann Lee"}, {"name": "Bo Ray"}]}'), "author", "Ann Lee, Bo Ray"),
        ("<meta name=citation_author content=Lee><meta name=citation_author content=Ray>", "author", "Lee, Ray"),
        ("<meta property=article:author content=https://social.test/ann>", "author", None),
        (f"{H1}<a rel=author href=/ann>Ann Lee</a>", "author", "Ann Lee"),
        (f"{H1}{PROSE}<h2>Comments</h2><b itemprop=author>Bo Ray</b>", "author", None),
        (f"{H1}<p>Von Ann Lee | 5. März 2026</p>", "author", "Ann Lee"),
        (f"{H1}<p>By the river there stood a house, and nobody lived in it.</p>", "author", None),
        ("<meta property=og:site_name content='The Post'>", "site_name", "The Post"),
        (ld('{"@type": "WebSite", "name": "The Post"}'), "site_name", "The Post"),
        ("<a rel=license href=/terms>terms</a>", "licence", "http://n.test/terms"),
        ("<a rel=license href=/one>one</a><a rel=license href=/two>two</a>", "licence", None),
        ("<a href=https://creativecommons.org/licenses/by/4.0/>of a picture</a>", "licence", None),
        (ld('{"@type": "Dataset", "license": {"@id": "http://l.test/"}}'), "licence", "http://l.test/"),
        ("<meta property=og:description content=short>", "description", "short"),
        ("<meta name=description content=own><meta property=og:description content=short>", "description", "own"),
    ],
)  # fmt: skip
def test_what_else_a_page_says_of_itself(html: str, field: str, value: str | None) -> None:
    assert getattr(read(html), field) == value

"""Kinds of hosts that are ill for a time: in the end no page is lost, and few requests are made meanwhile."""

from functools import partial

from support.ill_hosts.ways import (
    BLANK,
    CHALLENGE,
    CUT,
    JSON,
    LOGIN,
    MAINTENANCE,
    NO_NAME,
    NO_TLS,
    REFRESH,
    REFUSED,
    RESET,
    SILENT,
    UNCONNECTED,
    UNDECODABLE,
    WALL,
    among,
    behind_cache,
    below,
    bucket,
    crashed_by,
    during,
    leading_to_login,
    limit,
    to,
    to_itself,
    well,
    with_https,
)
from support.ill_hosts.web import DAY, HOUR, MINUTE, Answer, Asked, Kind, Way, page

_NIGHT = 20 * HOUR


def _ill(seconds: float, *answers: Answer | Way, begins: int = 20, **terms: object) -> Kind:
    return Kind(lambda: [during(seconds, *answers)], begins=begins, **terms)  # type: ignore[arg-type]


def _limited(answer: Answer, **terms: float) -> Kind:
    return Kind(lambda: [limit(answer, **terms)], pages=97)  # type: ignore[arg-type]


def _wall_of(asked: Asked) -> Answer:
    """It says the URL that was asked for, and a number for each request."""
    text = page(f"{asked.path} {asked.times}", 30)
    return Answer(body=text.replace(f"{asked.path} {asked.times}", "Checking your browser"))


def _queue(asked: Asked) -> Answer:
    return Answer(body=f"<p>You are number {400 - asked.times} of those who wait")


def _at_pages(answer: Answer) -> Way:
    """The host has no robots.txt."""
    return lambda asked: answer if asked.path != "/robots.txt" else Answer(404)


def _to_front(asked: Asked) -> Answer | None:
    return to("/") if asked.path != "/" else None


def _at(way: Way, begins: float) -> Way:
    """The host's trouble begins at that second, for all hosts at once."""
    return lambda asked: way(asked._replace(since=asked.at - begins))


def _robots_of_next_run() -> list[Way]:
    """The first run ends when the host asks for half a day; in the next, its robots.txt fails at first."""
    failed_at: list[float] = []

    def way(asked: Asked) -> Answer | None:
        if asked.at < HOUR:
            return Answer(503, rest=12 * HOUR) if asked.times >= 30 else None
        failed_at.append(asked.at)
        return Answer(503) if asked.path == "/robots.txt" and asked.at < failed_at[0] + MINUTE else None

    return [way]


_CAPTCHA = Answer(body="<title>Are you a robot?</title><p>Please solve this first.")
_FAST = "without a delay nothing slows a host down but rests"
_ALL = "nothing tells it from a host that is so for good"

ILL: dict[str, Kind] = {
    **{f"{status} for 5 minutes": _ill(5 * MINUTE, Answer(status)) for status in (500, 503)},
    **{f"{status} for 40 minutes": _ill(40 * MINUTE, Answer(status)) for status in (500, 502, 503, 522)},
    "503 for half an hour in the middle": _ill(30 * MINUTE, Answer(503), begins=50),
    "502 and 504 in turn": _ill(10 * MINUTE, Answer(502), Answer(504)),
    "503 twice": Kind(
        lambda: [among(during(5 * MINUTE, Answer(503)), during(5 * MINUTE, Answer(503), after=6 * MINUTE))],
        soon=14,
        why="these are two illnesses",
    ),
    "503 from the first page on": _ill(10 * MINUTE, Answer(503), begins=0),
    "503 that asks for 10 minutes": _ill(15 * MINUTE, Answer(503, rest=10 * MINUTE)),
    "503 that asks until a date": _ill(15 * MINUTE, Answer(503, rest=10 * MINUTE, by_date=True)),
    "503 that asks for longer than the run": _ill(2 * HOUR, Answer(503, rest=3 * HOUR)),
    "503 that asks for three days": _ill(
        _NIGHT, Answer(503, rest=3 * DAY), lost=46, why="the second run keeps to what the host has asked for"
    ),
    "500 that asks for 10 minutes": _ill(15 * MINUTE, Answer(500, rest=10 * MINUTE)),
    "resets": _ill(10 * MINUTE, RESET),
    "refused": _ill(40 * MINUTE, REFUSED),
    "time-outs": _ill(10 * MINUTE, SILENT),
    "no connection in time": _ill(10 * MINUTE, UNCONNECTED),
    "no name": _ill(10 * MINUTE, NO_NAME),
    "refused, also by https": _ill(40 * MINUTE, REFUSED, body=with_https),
    "no TLS": _ill(40 * MINUTE, NO_TLS),
    "refused, then 502, then 503": Kind(
        lambda: [
            among(
                *(
                    during(MINUTE, answer, after=at * MINUTE)
                    for at, answer in enumerate([REFUSED, Answer(502), Answer(503)])
                )
            )
        ]
    ),
    **{f"{status}": _ill(10 * MINUTE, Answer(status)) for status in (400, 401, 403, 405, 408, 418, 451)},
    "403 that asks for 5 minutes": _ill(10 * MINUTE, Answer(403, rest=5 * MINUTE)),
    "403 that asks until a date": _ill(10 * MINUTE, Answer(403, rest=5 * MINUTE, by_date=True)),
    "403 until the next day": _ill(_NIGHT, Answer(403)),
    "402 until the next day": _ill(_NIGHT, Answer(402)),
    "403 but for the front page": Kind(lambda: [during(10 * MINUTE, below(Answer(403), "/f"))]),
    "429": _ill(10 * MINUTE, Answer(429)),
    "429 above 40 a minute": _limited(Answer(429)),
    "429 above 40 a minute, for 3 seconds": _limited(Answer(429, rest=3)),
    "429 above 40 a minute, for 10 minutes": _limited(Answer(429, rest=600), ban=600),
    "429 above 40 a minute, for a day": _limited(Answer(429, rest=DAY - HOUR), ban=DAY - HOUR),
    "430 above 40 a minute": _limited(Answer(430)),
    "503 above 40 a minute": _limited(Answer(503)),
    "503 above 20 a minute, after a burst": Kind(
        lambda: [bucket(Answer(503), a_minute=20, burst=5)], soon=60, why=_FAST
    ),
    "403 above 40 a minute, for 10 minutes": _limited(Answer(403), ban=600),
    "a ban that each request doubles": _limited(Answer(403), ban=MINUTE, grows=2.0),
    "a wall for 6 seconds": _ill(6, WALL),
    "a wall": _ill(10 * MINUTE, WALL),
    "a wall until the next day": _ill(_NIGHT, WALL),
    "a wall from the first page on": _ill(10 * MINUTE, WALL, begins=0),
    "blank pages from the first one on": _ill(10 * MINUTE, Answer(body=BLANK), begins=0),
    "a wall from the second page on": _ill(10 * MINUTE, WALL, begins=2, soon=65, why=_ALL),
    "a wall that says the URL": _ill(10 * MINUTE, _wall_of),
    "a wall of a few words": _ill(10 * MINUTE, Answer(body="<p>Please come back in some minutes")),
    "a wall of JSON": _ill(10 * MINUTE, JSON),
    "a wall of JSON from the first page on": _ill(_NIGHT, _at_pages(JSON), begins=0),
    "a queue": _ill(10 * MINUTE, _queue),
    "a script that changes": _ill(10 * MINUTE, lambda asked: Answer(body=f"<script>let id={asked.times}</script>")),
    "damaged codings": _ill(10 * MINUTE, UNDECODABLE),
    "304 that nobody has asked for": _ill(10 * MINUTE, Answer(304)),
    "all pages lead to a captcha from the first one on": Kind(
        lambda: [among(below(_CAPTCHA, "/captcha"), during(10 * MINUTE, _at_pages(to("/captcha"))))], begins=0
    ),
    "all pages lead to the front page of another host": Kind(
        lambda: [during(10 * MINUTE, to("http://h1.test/")), well], pages=40
    ),
    "all pages lead to themselves": _ill(10 * MINUTE, to_itself),
    "all pages lead to captchas of their own": Kind(
        lambda: [among(below(_CAPTCHA, "/captcha/"), during(10 * MINUTE, lambda asked: to(f"/captcha{asked.path}")))]
    ),
    "all pages refresh to one": Kind(lambda: [among(below(_CAPTCHA, "/sorry"), during(10 * MINUTE, REFRESH))]),
    "a robots.txt of 503 in the next run": Kind(_robots_of_next_run, pages=40),
    "a challenge": _ill(10 * MINUTE, CHALLENGE),
    "a challenge with 200": _ill(10 * MINUTE, CHALLENGE._replace(status=200)),
    "a challenge from the first page on": _ill(10 * MINUTE, CHALLENGE, begins=0),
    "a login for all": Kind(lambda: [leading_to_login(partial(during, 10 * MINUTE))]),
    "a login for all that knows the way back": Kind(
        lambda: [among(below(LOGIN, "/login"), during(10 * MINUTE, lambda asked: to(f"/login?next={asked.path}")))]
    ),
    "maintenance": _ill(10 * MINUTE, MAINTENANCE),
    "maintenance after a redirect": Kind(
        lambda: [among(below(MAINTENANCE, "/maintenance"), during(10 * MINUTE, to("/maintenance")))]
    ),
    "all leads to the front page": _ill(
        10 * MINUTE, _to_front, soon=12, why="two are for pages that cannot exist, which could have led there"
    ),
    "empty answers": _ill(10 * MINUTE, Answer()),
    "blank pages": _ill(10 * MINUTE, Answer(body=BLANK)),
    "202 with a script": _ill(10 * MINUTE, WALL._replace(status=202)),
    "204": _ill(10 * MINUTE, Answer(204)),
    "cut answers": _ill(10 * MINUTE, CUT),
    "pages that are cut": _ill(10 * MINUTE, lambda asked: CUT._replace(body=page(f"h0.test{asked.path}")[:200])),
    "403 behind a cache": Kind(lambda: [behind_cache(20 * MINUTE, Answer(403))]),
    "429 behind a cache": Kind(lambda: [behind_cache(20 * MINUTE, Answer(429))]),
    "503 behind a cache": Kind(lambda: [behind_cache(20 * MINUTE, Answer(503))]),
    "empty answers behind a cache": Kind(
        lambda: [behind_cache(20 * MINUTE, Answer())], soon=11, why="the first two together are suspicious"
    ),
    "a page that crashes its server": Kind(
        lambda: [crashed_by("/f3/p43", 30)], lost=1, why="whenever it is asked for, its host falls ill"
    ),
    **{
        f"{name} from the start, back the next day": _ill(_NIGHT, answer, begins=0)
        for name, answer in (("refused", REFUSED), ("503", Answer(503)), ("no name", NO_NAME), ("403", Answer(403)))
    },
    "two ill hosts beside a well one": Kind(
        lambda: [during(10 * MINUTE, Answer(503)), during(10 * MINUTE, WALL), well], pages=48
    ),
    "ten hosts that are silent at once": Kind(lambda: [_at(during(5 * MINUTE, SILENT), 12.0)] * 10, pages=30),
    "ten hosts that refuse at once": Kind(lambda: [_at(during(5 * MINUTE, REFUSED), 12.0)] * 10, pages=30),
}

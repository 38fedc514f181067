"""Folders, hosts and months without end."""

import random
import re

from support.made_webs.web import OPEN, MadeWeb, document, links, links_to, made
from support.prose import WORDS


def _months(web: MadeWeb, *, events: bool) -> None:
    """A calendar by ?month=, from month to month for ever."""
    web.items(60, "/p/{}", "/calendar?month=24300")

    days = "<table>" + "".join(f"<td>{day}" for day in range(1, 29)) + "</table>"

    def calendar(query: dict[str, str]) -> str:
        month = int(query.get("month", 24300))
        own = [f"/event/{event}" for event in range(80) if events and event // 4 == month - 24300]
        ways = [f"/calendar?month={month + step}" for step in (1, -1)]
        return document(f"Calendar {month % 12 + 1}/{month // 12}", days + links_to([*own, *ways]))

    web.views["/calendar"] = calendar
    for event in range(80) if events else ():
        web.add(f"/event/{event}", f"Event {event}", web.text("event", event))


@made()
def months_without_events(web: MadeWeb) -> None:
    """Months without end, and nothing in them."""
    _months(web, events=False)


@made()
def months_with_events(web: MadeWeb) -> None:
    """Its twin: twenty months have the only links to events."""
    _months(web, events=True)


@made()
def days_without_end(web: MadeWeb) -> None:
    """A calendar by path, whose days differ by numbers only, as parts of a catalogue do; each leads to the next."""
    web.items(60, "/p/{}", "/day/24300")

    def day(key: str, times: int) -> str | None:
        found = re.fullmatch(r"/day/(\d+)", key)
        number = int(found[1]) if found else 0
        hours = "".join(f"<td>{hour}:00" for hour in range(24))
        ways = links_to(f"/day/{number + step}" for step in (1, -1, 30))
        text = f"<p>Week {number // 7}, {number % 365} days of {2_000 + number // 365}</p><table>{hours}</table>"
        return document(f"Day {number}", text + ways) if found else None

    web.respond = day


def _maze(web: MadeWeb, *, random_text: bool) -> None:
    """Folders in folders; each leads to five more."""
    web.items(60, "/p/{}", "/maze/")

    def view(key: str, times: int) -> str | None:
        if not re.fullmatch(r"/maze/([a-z]+/)*", key):
            return None
        words = random.Random(f"{web.seed} {key}").choices(WORDS, k=5)
        text = web.text(key) if random_text else web.text("maze")
        return document(" ".join(words) if random_text else "Maze", text + links(*((f"{key}{w}/", w) for w in words)))

    web.respond = view


@made(OPEN)
def maze_of_random_text(web: MadeWeb) -> None:
    """A tarpit whose texts are all other ones: no text tells it from a site; what is wanted must not wait behind it."""
    _maze(web, random_text=True)


@made(260)  # any end is good: its folders have no two names alike
def maze_of_one_text(web: MadeWeb) -> None:
    """A tarpit that says one thing."""
    _maze(web, random_text=False)


@made()
def hosts_without_end(web: MadeWeb) -> None:
    """Every name below the site's is answered with one page, which makes up three more: nobody's budget is set here."""
    web.items(60, "/p/{}", "http://x.made.test/")

    def view(key: str, times: int) -> str | None:
        found = re.fullmatch(r"http://(x\d*)\.made\.test/", key)
        more = ((f"http://{found[1]}{digit}.made.test/", "more") for digit in "123") if found else ()
        return document("Cheap things", web.text("host") + links(*more), menu="") if found else None

    web.respond = view


@made()
def hosts_of_users(web: MadeWeb) -> None:
    """Its twin: forty hosts of a site, of which every second begins as all others do, and has pages of its own."""
    hosts = [f"http://user{number}.made.test/" for number in range(40)]
    for number, host in enumerate(hosts):
        text = web.text("welcome") if number % 2 else web.text(host)
        web.add(host, "Welcome", text + links((f"{host}about", "about")), wanted=not number % 2)
        web.add(f"{host}about", f"About user {number}", web.text(host, "about"))
    web.front(links_to(hosts))

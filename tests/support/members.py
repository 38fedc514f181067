"""A site for members on loopback: a form with a token, sessions that end, links that act, pages for members alone."""

import html
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from support.prose import prose
from support.small_web import Pages, small_web

USER, PASSWORD = "max", "s3cr&t wörd"
WAYS = {"/start": (200, "<meta http-equiv=refresh content='0; url=/login'>"), "/basic": (401, "who are you?")}
WAYS["/code"] = (200, "<p>Enter the code of your app.</p><form method=post><input name=code></form>")
"""Pages that lead to the form, or ask otherwise."""
OUT = '<a href="{}">{}</a>'


@dataclass
class Members:
    """What the site does, and what it was asked.

    lasts: requests for which a session lasts. steps: 1, or 2 if the name is asked for first. is_open: its front page is
    public, and shows the link to log out to members alone. leaves: how a link to log out is spelt, and its words.
    on_request: called with the number of each.
    """

    pages: int = 30
    lasts: int = 10**6
    steps: int = 1
    is_open: bool = False
    leaves: tuple[str, str] = ("/accounts/logout/", "Log out")
    once: bool = False  # the page to log in has a URL for one login
    renews: bool = True  # a login makes a session of its own; else it is that of who has asked for the form
    has_link: bool = False  # its front page leads others to the login
    lands: str = "/"  # where a login leads to
    hides_form: bool = False  # from members: to them, the page to log in is a redirect to the front page
    hidden_way_out: bool = False  # each page has a link that ends the session, and does not say so
    on_request: Callable[[int], None] = lambda number: None
    says: str = "Please enter a correct name and password."
    hides: tuple[str, ...] = ()  # pages that the account may not read
    confirms: int = 0  # of so many pages, from the tenth on, each has a field for a password
    is_inline: bool = False  # who is not logged in gets the form in place of the page
    refuses: int = 0  # who is not logged in gets this status, and a link to log in, in place of the page
    has_gate: bool = False  # who is not logged in comes to the page to log in by way of another one
    asks_code: bool = False  # after the password, which nobody knows: all pages lead there
    is_elsewhere: bool = False  # the form is at login.test; its script posts to app.test who has logged in
    form: str = ""  # each page is one, at /change, sent by this method
    robots: tuple[str, str] = ("", "")  # what its front page and the others say to these
    states: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    acts: Counter[str] = field(default_factory=Counter)
    logins: int = 0
    sessions: dict[str, int] = field(default_factory=dict)

    @property
    def paths(self) -> list[str]:
        return [f"/members/{each}{'/change' * bool(self.form)}" for each in range(self.pages)]

    def links(self, path: str) -> list[str]:
        """In a tree; or of forms all in one list."""
        if path == "/":
            return self.paths if self.form else self.paths[:1]
        at = 2 * self.paths.index(path) + 1
        return [] if self.form else self.paths[at : at + 2]


class _Answers(Pages):
    site: Members
    numbers: Iterator[int]

    def do_GET(self) -> None:  # noqa: N802, PLR0912 - as http.server calls it; a branch for each kind of page
        site, parts = self.site, urlsplit(self.path)
        site.asked.append(self.path)
        site.on_request(len(site.asked))
        session = self._session()
        if parts.path == "/robots.txt":
            self._say(404, "")
        elif parts.path in WAYS:
            self._say(*WAYS[parts.path], ("WWW-Authenticate", "Basic"))
        elif parts.path == "/gate":
            self._say(302, "", ("Location", f"/login?{parts.query}"))
        elif session is not None and site.asks_code and parts.path != "/code":
            self._say(302, "", ("Location", "/code"))
        elif parts.path == "/login" and session is not None and site.hides_form:
            self._say(302, "", ("Location", "/"))
        elif parts.path == "/login" and site.once and parts.query not in site.states:
            site.states.add(state := f"state={next(self.numbers)}")
            self._say(400 if parts.query.startswith("state=") else 302, "It is over.", ("Location", f"/login?{state}"))
        elif parts.path == "/login":
            site.states.discard(parts.query)
            self._form("")
        elif parts.path in (urlsplit(site.leaves[0]).path, "/see-you") or "/delete" in parts.path:
            site.acts[self.path] += 1
            if session is not None and "/delete" not in parts.path:
                del site.sessions[session]
                self._say(302, "", ("Location", "/login"), ("Set-Cookie", "session=; Path=/; Max-Age=0"))
            else:
                self._say(200, "gone")
        elif session is None and not (site.is_open and parts.path == "/"):
            self._send_away(parts.path)
        elif parts.path != "/" and parts.path not in site.paths:
            self._say(404, "<p>There is no such page.</p>")
        elif parts.path in site.hides:
            self._say(302, "", ("Location", f"/login?next={parts.path}"))
        else:
            self._page(parts.path, is_member=session is not None)

    def do_POST(self) -> None:  # noqa: N802 - as http.server calls it
        site = self.site
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode(), keep_blank_values=True)
        values = {name: each[0] for name, each in sent.items()}
        token = self._cookies().get("csrf")
        if self.path == "/search":
            self._say(200, "nothing found")
        elif self.path == "/leave":
            site.acts[self.path] += 1
            self._say(200, "gone")
        elif self.path == "/told":
            self._say(302, "", ("Location", "/"), ("Set-Cookie", f"session={values['session']}; Path=/"))
        elif token is None or values.get("token") != token:
            self._say(403, "<p>The form has no token.</p>")
        elif self.path == "/name":
            self._form(values["user"], has_password=True)
        elif (values.get("user"), values.get("password"), values.get("go")) == (USER, PASSWORD, "in"):
            site.logins += 1
            session = f"session{next(self.numbers)}" if site.renews else token
            site.sessions[session] = site.lasts
            if site.is_elsewhere:
                told = f"action=http://app.test/told><input type=hidden name=session value={session}>"
                self._say(200, f"<body onload='document.forms[0].submit()'><form method=post {told}</form>")
                return
            fields = [("Set-Cookie", f"session={session}; Path=/; HttpOnly")] * site.renews
            self._say(302, "", ("Location", site.lands), *fields)
        else:
            self._form(values["user"], has_password=True, problem=f"<p class=x>{site.says}</p>")

    def _send_away(self, path: str) -> None:
        """Answer who is not logged in."""
        if self.site.refuses and path in self.site.paths:
            self._say(self.site.refuses, "<p>This is for members.</p><a href=/login>Log in</a>")
        elif self.site.is_inline and path in self.site.paths:
            self._form("")
        else:
            host = "http://login.test" * self.site.is_elsewhere
            self._say(302, "", ("Location", f"{host}/{'gate' if self.site.has_gate else 'login'}?next={path}"))

    def _form(self, user: str, *, has_password: bool = False, problem: str = "") -> None:
        has_password |= self.site.steps == 1
        token = f"token{next(self.numbers)}"
        password = "<input type='password' name='password'>" if has_password else ""
        body = (
            "<title>Log in</title><form action=/search method=post><input name=what><button>Search</button></form>"
            f"{problem}<form method=post action={'/enter' if has_password else '/name'}>"
            f"<input type=hidden name=token value={token}><input name=user value='{html.escape(user)}'>{password}"
            "<button type=submit name=go value=in>Log in</button><button name=go value=no>Cancel</button></form>"
        )
        self._say(200, body, ("Set-Cookie", f"csrf={token}; Path=/"))

    def _page(self, path: str, *, is_member: bool) -> None:
        site, number = self.site, path.removeprefix("/members/")
        links = site.links(path)
        if site.hidden_way_out:
            links.append(f"/see-you?from={number}")
        if site.has_link and not is_member:
            links.append("/login")
        leave = "<form method=post action=/leave><button onclick='this.form.submit()'>Leave</button></form>" * is_member
        acting = [site.leaves, (f"{path.rstrip('/')}/delete", "Remove")] if is_member else []
        body = "".join(OUT.format(*each) for each in [*((link, f"to {link}") for link in links), *acting])
        words = prose(int.from_bytes(path.encode()), title=f"Page {path} of members")
        if site.form and path != "/":  # all that is its own is a name in a field
            name = "".join(map(chr, (97 + int(digit) for digit in number[:-7])))
            form = f"<form method={site.form}><input name=name value={name}><button>Save</button></form>"
            words = prose(0, title="Change a member") + form
        if path in site.paths[10 : 10 + site.confirms]:
            words += "<form method=post><input type=password name=again><button>Confirm</button></form>"
        said = f"<meta name=robots content='{site.robots[path != '/']}'>"
        self._say(200, f"{words.replace('</head>', f'{said}</head>')}{body}{leave}")

    def _cookies(self) -> dict[str, str]:
        pairs = (pair.partition("=") for pair in self.headers.get("Cookie", "").split("; "))
        return {name: value for name, _, value in pairs}

    def _session(self) -> str | None:
        session = self._cookies().get("session" if self.site.renews else "csrf", "")
        if self.site.sessions.get(session, 0) <= 0:
            return None
        self.site.sessions[session] -= 1
        return session

    def _say(self, status: int, body: str, *fields: tuple[str, str]) -> None:
        self.answer(status, f"<meta charset=utf-8>{body}".encode(), *fields)


@contextmanager
def serving(site: Members) -> Iterator[str]:
    """The front page of the site while it is served."""
    with small_web(type("Answers", (_Answers,), {"site": site, "numbers": itertools.count(1)})) as port:
        yield f"http://127.0.0.1:{port}/"

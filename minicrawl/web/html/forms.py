"""The forms of a page, and which of them logs in.

A page that asks for a password has a form with one password field; one that makes an account, or changes a password,
has several. Some ask for the name first, on a page of its own, which has no password field yet.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple
from urllib.parse import unquote, urlencode, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from minicrawl.web.html.decode import as_utf8, encoding_of
from minicrawl.web.urls.normalise import normalise
from minicrawl.web.urls.shapes import looks_random

_ASKS = re.compile(rb"<input\b[^<>]{0,2000}?\btype\s*=\s*[\"']?password\b", re.IGNORECASE)
_FORM = re.compile(rb"<form\b", re.IGNORECASE)
_NAMES = {"text", "email", "tel", ""}
_SENT_AS_IS = _NAMES | {"password", "hidden", "search", "url", "number", "date"}
_WRITTEN = _NAMES | {"url", "textarea"}
_OF_USER = re.compile(r"user|log.?[io]n|mail|account|usr|uid|benutzer|utilisateur|usuario", re.IGNORECASE)
_BUTTONS = {"submit", "image"}
_ACTS = re.compile(
    r"data-(?:turbo-)?(?:confirm=|method=(?!get\Z))|hx-(?:confirm|post|put|patch|delete)=|onclick=.*confirm\(",
    re.IGNORECASE,
)
_LOOKS = re.compile(r"role=button\Z|aria-pressed=|class=(?:.*\s)?(?:btn|button)(?:\s|\Z)")
"""Attributes of links that act, and of those that look like buttons."""
_FIELDS = ("input", "button", "select", "textarea")


class Field(NamedTuple):
    """A field of a form. `kind`: its type, "" for none, in lower case. `is_on`: it is sent unless it is filled
    otherwise."""

    name: str
    kind: str
    value: str
    is_on: bool = True


class Form(NamedTuple):
    """A form of a page. `action`: the normalised URL that it is sent to. `says`: its id, name, action and buttons, in
    small letters. `charset`: of the page."""

    action: str
    is_post: bool
    fields: tuple[Field, ...]
    says: str
    charset: str

    @property
    def passwords(self) -> list[str]:
        """The names of its password fields."""
        return [field.name for field in self.fields if field.kind == "password"]

    @property
    def user(self) -> str | None:
        """The name of the field for the user name: of the text fields before the password the last whose name says so,
        else the last one; others may take a company, a domain or nothing at all."""
        before = takewhile(lambda field: field.kind != "password", self.fields)
        names = [field.name for field in before if field.kind in _NAMES]
        found = [name for name in names if _OF_USER.search(name)] or names
        return found[-1] if found else None

    def filled(self, values: dict[str, str]) -> bytes:
        """The body that a browser sends as application/x-www-form-urlencoded, with these values by name."""
        pairs = [(field.name, values.get(field.name, field.value)) for field in self.fields if field.is_on]
        return urlencode(pairs, encoding=self.charset, errors="xmlcharrefreplace").encode("ascii")


def asks_password(body: bytes) -> bool:
    """True if a page has a password field."""
    return _ASKS.search(body) is not None


def asks_something(body: bytes, url: str) -> bool:
    """True if a page at a URL has a form that is posted, with a field to fill in."""
    return any(field.kind not in ("hidden", "submit") for field in _posted(body, url))


def is_filled_in(body: bytes, url: str) -> bool:
    """True if a page at a URL has a form that is posted, and shows words in a field to write in."""
    return any(field.kind in _WRITTEN and any(map(str.isalpha, field.value)) for field in _posted(body, url))


def buttons_of(body: bytes, url: str) -> tuple[tuple[str, bool], ...]:
    """The URLs that links of a page lead to as buttons do, and no other link. True: these act, whatever they say: they
    ask back, are sent by another method, or carry a token, which posted forms hide, too, and few links have."""
    links = [(_of(node, "href"), node) for node in LexborHTMLParser(body).css("a[href]")]
    hidden = {field.value for field in _posted(body, url) if field.kind == "hidden" and looks_random(field.value)}
    tokens = [f"={token}" for token in hidden if 2 * sum(token in link for link, _ in links) <= len(links)]
    found: dict[str, int] = {}
    for link, node in links:
        attributes = [f"{name}={value}" for name, value in node.attributes.items()]
        acts = any(map(_ACTS.match, attributes)) or any(token in link and token not in url for token in tokens)
        is_button = acts or any(map(_LOOKS.match, attributes)) or not any(map(str.isalnum, node.text()))
        found[link] = min(found.get(link, 2), is_button + acts)
    urls = ((normalise(urljoin(url, link)), kind > 1) for link, kind in found.items() if kind)
    return tuple((target, acts) for target, acts in urls if target is not None and target != url)


def _posted(body: bytes, url: str) -> list[Field]:
    forms = forms_of(body, url) if _FORM.search(body) else []
    return [field for form in forms if form.is_post for field in form.fields]


def lines_shown(body: bytes, content_type: str | None = None) -> list[str]:
    """The lines of text of a page, as a reader sees them, roughly: what stands between two tags."""
    tree = LexborHTMLParser(as_utf8(body, encoding_of(body, content_type)))
    tree.strip_tags(["script", "style", "template", "noscript"])
    text = tree.body.text(separator="\n") if tree.body is not None else ""
    return [words for line in text.split("\n") if (words := " ".join(line.split()))]


def title_of(body: bytes, content_type: str | None = None) -> str:
    """The title of a page; empty without one."""
    title = LexborHTMLParser(as_utf8(body, encoding_of(body, content_type))).css_first("title")
    return "" if title is None else " ".join(title.text().split())


def forms_of(body: bytes, url: str, content_type: str | None = None) -> list[Form]:
    """The forms of an HTML page at a URL, in its order. Fields outside of their form count for it (`form=ID`)."""
    encoding = encoding_of(body, content_type)
    tree = LexborHTMLParser(as_utf8(body, encoding))
    base = tree.css_first("base[href]")
    place = url if base is None else urljoin(url, _of(base, "href"))
    elsewhere = defaultdict[str, list[LexborNode]](list)
    for field in tree.css(", ".join(f"{name}[form]" for name in _FIELDS)):
        elsewhere[_of(field, "form")].append(field)
    found = []
    for form in tree.css("form"):
        action = normalise(urljoin(place, _of(form, "action") or url))
        inside = [field for field in form.css(", ".join(_FIELDS)) if "form" not in field.attributes]
        fields = inside + elsewhere.get(_of(form, "id"), [])
        if action is not None:
            buttons = (f"{_of(field, 'value')} {field.text()}" for field in fields if _is_button(field))
            says = " ".join((_of(form, "id"), _of(form, "name"), action, *buttons)).lower()
            found.append(Form(action, _of(form, "method").lower() == "post", tuple(_sent(fields)), says, encoding))
    return found


def _of(node: LexborNode, attribute: str) -> str:
    return (node.attributes.get(attribute) or "").strip()


def _is_button(node: LexborNode) -> bool:
    kind = _of(node, "type").lower()
    return kind in _BUTTONS or (node.tag == "button" and kind not in ("reset", "button"))


def _sent(nodes: list[LexborNode]) -> Iterator[Field]:
    """The fields that are sent: of buttons the first, as if it was pressed."""
    has_button = False
    for node in nodes:
        name, kind, value = _of(node, "name"), _of(node, "type").lower(), node.attributes.get("value") or ""
        if _is_button(node):
            is_first, has_button = not has_button, True
            if is_first and kind == "image":  # where it was pressed
                yield from (Field(f"{name}.{axis}".lstrip("."), "submit", "0") for axis in "xy")
            elif name and is_first:
                yield Field(name, "submit", value)
        elif not name or "disabled" in node.attributes:
            continue
        elif node.tag == "select":
            for each in node.css("option[selected]") or node.css("option")[:1]:
                yield Field(name, "select", each.attributes.get("value") or each.text().strip())
        elif node.tag == "textarea":
            yield Field(name, "textarea", node.text())
        elif kind in ("checkbox", "radio"):
            yield Field(name, kind, value or "on", "checked" in node.attributes)
        elif node.tag == "input" and kind not in ("button", "reset", "file"):
            yield Field(name, kind if kind in _SENT_AS_IS else "", value)


_LOGS_IN = re.compile(
    r"log.?[io]n|sign.?in|anmeld|connexion|auth|session|account|acceso|accedi|entrar|identif|войти|登录|登入|ログイン|로그인"
)
_SEARCHES = re.compile(r"search|such|busca|recherch|поиск|搜索|検索|newsletter|subscri")


def login_form(forms: list[Form]) -> Form | None:
    """The form that asks for a password, and for no second one; of several the one that says that it logs in. Beside
    one that says so and asks for the name first, not one that asks for something else than a user."""
    asking = [form for form in forms if len(form.passwords) == 1]
    saying = [form for form in asking if _LOGS_IN.search(form.says)]
    if not saying and any(form.is_post and not form.passwords and _ENTERS.search(form.says) for form in forms):
        asking = [form for form in asking if form.user is None or _OF_USER.search(form.user)]
    return next(iter((*saying, *asking)), None)


def name_form(forms: list[Form], page: str) -> Form | None:
    """The form that asks for a name, before another page asks for the password: one that is posted, takes one line of
    text and says that it logs in, or is the only one of its kind on a page that says so, and does not say that it
    searches. page: its URL and title. Any other form may do something with the name, such as order a newsletter."""
    asking = [form for form in forms if form.is_post and not form.passwords]
    posted = [form for form in asking if sum(field.kind in _NAMES for field in form.fields) == 1]
    found = [form for form in posted if _LOGS_IN.search(form.says)]
    others = [form for form in posted if not _SEARCHES.search(form.says)]
    if found:
        return found[0]
    return others[0] if len(others) == 1 and _LOGS_IN.search(page.lower()) else None


_CODE = re.compile(r"one.?time|otp|2fa|mfa|factor|code|token|pin\b|verif", re.IGNORECASE)


def asks_code(forms: list[Form]) -> bool:
    """True if a form takes nothing but a line that it calls a code, as a second factor after the password."""
    asking = (form for form in forms if form.is_post and not form.passwords)
    lines = ([field.name for field in form.fields if field.kind in _NAMES | {"number"}] for form in asking)
    return any(len(names) == 1 and _CODE.search(names[0]) for names in lines)


_ENTERS = re.compile(
    r"log.?[io]n|sign.?in|anmelden|einloggen|(?:se )?connecter|connexion|iniciar sesi[oó]n|accedi|entrar|inloggen|"
    r"logga in|log ind|logg inn|zaloguj(?: się)?|войти|вход|登录|登入|ログイン|로그인"
)


def leads_to_login(url: str, text: str) -> bool:
    """True if a link says that it leads to a page to log in: all of its text, or the last segment of its path."""
    last = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2]).lower().partition(".")[0]
    return any(_ENTERS.fullmatch(each) for each in (" ".join(text.lower().split()), last))

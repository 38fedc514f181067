"""Forms as browsers send them, and which of them logs in."""

from urllib.parse import parse_qsl

import pytest

from minicrawl.web.html.forms import (
    asks_code,
    asks_password,
    buttons_of,
    forms_of,
    is_filled_in,
    leads_to_login,
    login_form,
    name_form,
    title_of,
)

URL = "https://a.test/in/"
FULL = """<base href="/base/"><form id=f method=POST action=enter>
    <input type=hidden name=csrf value="a&amp;b"><input name=user value=old><input type=password name=pass>
    <input type=checkbox name=keep checked><input type=checkbox name=other value=1>
    <input type=radio name=r value=2 checked><select name=lang><option value=de>Deutsch
    <option value=en selected>English</select><textarea name=note>hi</textarea>
    <input name=off disabled><input type=file name=upload><button type=button name=b value=x>Show</button>
    <button name=go value=in>Log in</button><button name=go value=no>Cancel</button></form>
    <input form=f type=hidden name=late value=3>"""


def test_a_form_is_sent_as_a_browser_sends_it() -> None:
    (form,) = forms_of(FULL.encode(), URL)
    assert (form.action, form.is_post, form.user, form.passwords) == (
        "https://a.test/base/enter",
        True,
        "user",
        ["pass"],
    )
    sent = parse_qsl(form.filled({"user": "mäx", "pass": "s&3"}).decode(), keep_blank_values=True)
    assert sent == [
        *(("csrf", "a&b"), ("user", "mäx"), ("pass", "s&3"), ("keep", "on"), ("r", "2"), ("lang", "en")),
        *(("note", "hi"), ("go", "in"), ("late", "3")),
    ]


def test_a_form_is_sent_in_the_encoding_of_its_page() -> None:
    page = "<meta charset=iso-8859-1><form method=post><input name=user><input type=password name=p></form>"
    (form,) = forms_of(page.encode("latin-1"), URL, "text/html; charset=iso-8859-1")
    assert form.filled({"user": "mäx € Ж", "p": ""}) == b"user=m%E4x+%80+%26%231046%3B&p="  # windows-1252
    assert form.action == URL


SEARCH = "<form method=post action=/search><input name=what><button>Search</button></form>"
LOGIN = "<form method=post action=/enter><input name=user><input type=password name=p><button>Log in</button></form>"
JOIN = (
    "<form method=post action=/join><input name=user><input type=password name=p><input type=password name=p2></form>"
)
UNLOCK = "<form method=post action=/unlock><input type=password name=pin></form>"
NAME = "<form method=post action=/session/name><input type=email name=user><button>Next</button></form>"
WATCH = "<form method=post action=/watch><input name=url><button>Add</button></form>"
LETTER = "<form method=post action=/newsletter><input type=email name=mail><button>Subscribe</button></form>"

CLUB = "<form method=post action=/club><input name=number><input type=password name=pin></form>"
CODE = "<form method=post action=/2fa><input name=otp_code inputmode=numeric><button>Verify</button></form>"


@pytest.mark.parametrize(
    ("page", "login", "name"),
    [
        ("", None, None),
        ("<p>No form", None, None),
        (SEARCH, None, None),
        (SEARCH + LOGIN + JOIN, "/enter", None),
        (UNLOCK + LOGIN, "/enter", None),
        (UNLOCK, "/unlock", None),
        (JOIN, None, None),
        (CLUB + LETTER, "/club", None),
        (CLUB + NAME.replace("Next", "Log in"), None, "/session/name"),
        (CLUB.replace("number", "user") + NAME.replace("Next", "Log in"), "/club", "/session/name"),
        (SEARCH + NAME + LETTER, None, "/session/name"),
        (LETTER, None, None),
        (NAME.replace("/session/name", "/x"), None, None),
        (f"<title>Sign in</title>{NAME.replace('/session/name', '/x')}", None, "/x"),
        (f"<title>Plants</title>{WATCH}", None, None),
        (f"<title>Sign in</title>{WATCH}{LETTER}", None, "/watch"),
        (SEARCH.replace("post", "get") + NAME.replace("post", "get"), None, None),
    ],
)
def test_the_form_that_logs_in(page: str, login: str | None, name: str | None) -> None:
    forms, title = forms_of(page.encode(), URL), title_of(page.encode())
    found = [
        form and form.action.removeprefix("https://a.test") for form in (login_form(forms), name_form(forms, title))
    ]
    assert found == [login, name]


@pytest.mark.parametrize(("page", "asks"), [(CODE, True), (WATCH, False), (UNLOCK, False), (LETTER, False)])
def test_a_page_asks_for_a_code(page: str, asks: bool) -> None:
    assert asks_code(forms_of(page.encode(), URL)) is asks


@pytest.mark.parametrize(("button", "sent"), [("name=go", b"go.x=0&go.y=0"), ("", b"x=0&y=0")])
def test_a_picture_that_is_a_button_says_where_it_was_pressed(button: str, sent: bytes) -> None:
    (form,) = forms_of(f"<form method=post><input type=image {button}><button name=b value=x>".encode(), URL)
    assert form.filled({}) == sent


@pytest.mark.parametrize(
    ("fields", "user"),
    [
        ("user", "user"),
        ("server auth[username]", "auth[username]"),  # Adminer
        ("LoginForm[email] company", "LoginForm[email]"),
        ("login_username realm website", "login_username"),
        ("kennung", "kennung"),
        ("mandant kennung", "kennung"),
        ("username email", "email"),
        ("", None),
    ],
)
def test_the_field_for_the_user(fields: str, user: str | None) -> None:
    inputs = "".join(f"<input name={name}>" for name in fields.split())
    (form,) = forms_of(f"<form method=post>{inputs}<input type=password name=p><input name=user2>".encode(), URL)
    assert form.user == user


@pytest.mark.parametrize(
    ("url", "text", "leads"),
    [
        ("/x", "Log in", True),
        ("/x", " SIGN\nIN ", True),
        ("/x", "Se connecter", True),
        ("/login.php?next=/", "→", True),
        ("/users/sign_in", "", True),
        ("/x", "How to log in", False),
        ("/blog/login-forms", "Forms", False),
        ("/logout", "Log out", False),
        ("/authors", "Authors", False),
    ],
)
def test_links_that_lead_to_a_login(url: str, text: str, leads: bool) -> None:
    assert leads_to_login(f"https://a.test{url}", text) is leads


@pytest.mark.parametrize(
    ("page", "asks"),
    [
        (LOGIN, True),
        ("<INPUT name=x TYPE = 'PASSWORD' >", True),
        ("<p>Your password: <input name=password>", False),
        ("<label for=password>type=password</label>", False),
    ],
)
def test_a_page_asks_for_a_password(page: str, asks: bool) -> None:
    assert asks_password(page.encode()) is asks


@pytest.mark.parametrize(
    ("fields", "is_so"),
    [
        ("<input name=a value=Rose>", True),
        ("<input type=email value=rose@a.test name=a>", True),
        ("<textarea name=a>Rose</textarea>", True),
        ("<input name=a value=12><input type=hidden name=b value=Rose><input type=submit value=Save>", False),
        (
            "<input type=search name=a value=Rose><input type=password name=b value=Rose><textarea name=c> </textarea>",
            False,
        ),
        ("</form><form><input name=a value=Rose>", False),
    ],
)
def test_a_form_that_is_posted_is_filled_in(fields: str, is_so: bool) -> None:
    assert is_filled_in(f"<form method=post>{fields}</form>".encode(), URL) is is_so


def test_links_that_are_buttons() -> None:
    token = "8a7b6c5d4e3f2a1b"
    page = f"""<form method=post><input type=hidden name=t value={token}><input name=a></form>
        <a href=/1 data-confirm=Sure?>a</a><a href=/2 class="big btn">b</a><a href=/3 onclick="return confirm('c')"></a>
        <a href=/4 data-method=get>d</a><a href=/5 data-method=DELETE>e</a><a href=/6><i title=Pin></i></a>
        <a href=/7?k={token}>f</a><a href=/8 data-confirm=Sure?>g</a><a href=/8>h</a><a href="" role=button>i</a>"""
    found = {"1": True, "2": False, "3": True, "5": True, "6": False, "7?k=" + token: True}
    assert dict(buttons_of(page.encode(), URL)) == {f"https://a.test/{path}": acts for path, acts in found.items()}
    everywhere = f"<form method=post><input type=hidden name=t value={token}></form><a href=/7?k={token}>f</a>"
    assert buttons_of(everywhere.encode(), URL) == ()  # a session, not a token

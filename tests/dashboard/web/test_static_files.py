"""The page: small, whole, asking nobody else, and without a way for text to become markup."""

import re
from importlib.resources import files

from minicrawl.dashboard.web.static_files import static_files

MOST = 120_000
STATIC = static_files()
SCRIPTS = {path: answer.body.decode() for path, answer in STATIC.items() if path.endswith(".js")}


def test_it_is_small() -> None:
    assert sum(len(answer.body) for path, answer in STATIC.items() if path != "/") <= MOST


def test_every_file_is_served() -> None:
    folder = files("minicrawl.dashboard").joinpath("static")
    assert {f"/{file.name}" for file in folder.iterdir()} == STATIC.keys() - {"/"}
    assert STATIC["/"] == STATIC["/index.html"]


def test_what_it_asks_for_is_there() -> None:
    page = STATIC["/"].body.decode()
    asked = set(re.findall(r'(?:src|href)="(/[^"]*)"', page))
    for path, text in SCRIPTS.items():
        asked |= {f"/{name}" for name in re.findall(r'from "\./([^"]+)"', text)}
        assert not re.search(r'from "(?!\./)', text), path
    assert asked <= STATIC.keys()
    assert asked | {"/", "/index.html"} == STATIC.keys()


def test_it_names_no_other_server() -> None:
    for path, answer in STATIC.items():
        text = answer.body.decode().replace("http://www.w3.org/2000/svg", "").replace("https://example.org", "")
        assert not re.search(r"https?://\w", text), path


def test_text_cannot_become_markup_or_script() -> None:
    sinks = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|setHTML"
    sinks += r"|\beval\b|new Function|javascript:"
    page = STATIC["/"].body.decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|style=", page)
    for path, text in SCRIPTS.items():
        assert not re.search(sinks, text), path

"""What is told of pages that were checked for cloaking, and crawls that cannot check any."""

from pathlib import Path

import pytest
from support.cloakers import CLOAKED, HONEST, Cloakers, crawl_cloakers
from support.command_line import answer
from support.command_line import run as command
from support.origins import PEM

from minicrawl.analysis.explain import explain
from minicrawl.api import crawl
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store

BEHAVIOURS = {
    "c.test": CLOAKED["missing for browsers"],
    "s.test": HONEST["static"],
    "r.test": HONEST["refuses browsers"],
}


def test_why_and_status_tell_it(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl_cloakers(Cloakers({host: (behaviour, 1, 1.0) for host, behaviour in BEHAVIOURS.items()}), store)
    with open_store(store) as reader:
        notes = {host: explain(reader, f"http://{host}/").notes for host in BEHAVIOURS}
    assert notes == {
        "c.test": ("spam sign   cloaked: a browser gets status 404, a crawler gets the page 'c.test /'",),
        "s.test": (),
        "r.test": (),
    }
    checks = {"same": 1, "cloaked": 1, "http-403": 1}
    assert answer("status", "--store", store)["cloaking"] == checks
    assert "cloaking  3 pages checked: " in command("status", "--store", store).output


def test_a_crawl_that_does_not_check_tells_nothing_of_it(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl_cloakers(Cloakers({"c.test": (CLOAKED["other text"], 1, 1.0)}), store, check_cloaking=False)
    assert "cloaking" not in answer("status", "--store", store)
    assert "cloaked" not in command("why", "http://c.test/", "--store", store).output


@pytest.mark.parametrize("other", [{"from_archive": "kept"}, {"client_cert": f"a.test={PEM}"}])
def test_only_strangers_on_the_live_web_can_check(tmp_path: Path, other: dict[str, str]) -> None:
    with pytest.raises(SettingError, match="--check-cloaking asks sites as a stranger does"):
        crawl("http://a.test/", tmp_path / "crawl.db", check_cloaking=True, **other)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())

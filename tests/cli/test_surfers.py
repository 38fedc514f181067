"""What 'minicrawl lab surfer' prints."""

from pathlib import Path

import pytest
from support.command_line import answer, run
from support.sites import Site, crawl, rows

WORDS = "a sentence of some words that is about the page to which it links"
HOME, MENU = "http://docs.test/", [f"http://docs.test/menu{number}" for number in range(6)]
CITED = [f"http://docs.test/topic{number}" for number in range(5)]
PAGES = [
    "<nav>" + "".join(f'<a href="{url}">x</a> ' for url in MENU) + "</nav>",
    *(f'<p>{WORDS} <a href="{url}">x</a> {WORDS}</p>' for url in CITED),
]
SITE: Site = dict.fromkeys([*MENU, *CITED], PAGES) | {HOME: [*PAGES, "<p>home"]}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("surfers") / "crawl.db"
    crawl(SITE | {"http://fan.test/": [HOME, *CITED]}, path, ["http://fan.test/"])
    return path


def test_surfers_are_compared_for_people(store: Path) -> None:
    """fan.test cites the topics and HOME, to which nobody links. Alike topics and menu are tied: area 15 / 36."""
    result = run("lab", "surfer", store, "--each")
    assert result.exit_code == 0, result.stderr
    lines = result.output.splitlines()
    assert lines[0] == "2 sites, 13 pages read, 121 links inside sites. Held out: 6 links between sites, to 6 pages."
    uniform, reasonable = (next(line for line in lines if line.startswith(name)) for name in ("uniform", "reasonable"))
    assert (uniform.split()[1], reasonable.split()[1]) == (f"{15 / 36:.3f}", f"{30 / 36:.3f}")
    assert reasonable.split()[-2:] == ["1", "0"]
    assert lines[12].endswith("docs.test")


def test_json_has_every_site_and_surfer_that_is_named(store: Path) -> None:
    found = answer("lab", "surfer", store, "--surfer", "text=1,list=1,nav=9")
    assert (found["pages"], found["links_held_out"]) == (13, 6)
    names = [one["surfer"] for one in found["by_other_sites"]["surfers"]]
    assert names[:3] == ["uniform", "reasonable", "text=1,list=1,nav=9"]
    assert names[3:] == [f"uniform, generated {share}" for share in ("0.5", "0.25", "0")]
    (site,) = found["by_other_sites"]["sites"]
    assert (site["site"], site["pages"], site["wanted"]) == ("docs.test", 12, 6)
    areas = {name: site["figures"][name]["area"] for name in names}
    assert list(areas.values()) == pytest.approx([15 / 36, 30 / 36, 0.0, *[15 / 36] * 3])
    gain = found["by_other_sites"]["surfers"][1]["area_gain"]
    assert gain["low"] == gain["mean"] == pytest.approx(areas["reasonable"] - areas["uniform"])
    assert found["by_front_pages"] is None  # HOME links to all the others


def test_crawl_that_kept_no_places_is_said_to_tell_no_surfers_apart(store: Path) -> None:
    sentence = "No place of a link is kept here, so all links are alike to every surfer: crawl these sites again."
    assert sentence not in run("lab", "surfer", store).output
    rows(store, "UPDATE links SET places = NULL, own_places = NULL")
    assert run("lab", "surfer", store).output.splitlines()[1] == sentence


def test_where_nothing_can_be_judged_one_sentence_says_so(tmp_path: Path) -> None:
    crawl({HOME: [CITED[0]], CITED[0]: []}, tmp_path / "crawl.db", [HOME])
    result = run("lab", "surfer", tmp_path / "crawl.db")
    assert result.exit_code == 2
    assert result.stderr == (
        f"Error: no site in {tmp_path / 'crawl.db'} has 5 pages that other sites or its own front page link to, and "
        "5 others; crawl sites that link to each other, with --scope any\n"
    )

"""Rules as a file has them, those that come with minicrawl, and a user's own."""

import tomllib
from pathlib import Path

import pytest
from support.command_line import answer, run
from support.sites import HOME, crawl

from minicrawl.audit.rules import Need, Rule, Severity, rules_of
from minicrawl.errors import SettingError

OWN = """
[audit.title-short]
severity = "error"
why = "It says nothing."
select = "SELECT url, length(title) || ' characters' FROM page WHERE length(title) < 3"

[audit.host-large]
select = "SELECT host, count(*) OVER (PARTITION BY host) || ' pages', url FROM page WHERE host = 'a.test'"

[audit.too-deep]
select = "SELECT id, 'not deep', NULL, 0.25 FROM audited WHERE is_seed"
"""


def test_a_table_is_a_rule() -> None:
    table = {"select": "SELECT 1", "severity": "notice", "needs": "facts", "why": "It is odd."}
    (rule,) = rules_of({"page-odd": table}, "").values()
    assert rule == Rule("page-odd", "SELECT 1", why="It is odd.", severity=Severity.NOTICE, needs=Need.FACTS)
    assert [Rule("odd", "", severity=each).gravity for each in Severity] == [0, 1, 2]


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("odd = 1", "f: odd is not a rule"),
        ("[odd]", "f: odd is not a rule: a rule has a select"),
        ("[odd]\nselect = 1", "f: odd.select is not a text: 1"),
        ("[odd]\nselect = ''\nseverity = 'fatal'", "f: odd.severity is not error or warning or notice: 'fatal'"),
        ("[odd]\nselect = ''\nhelp = 'me'", "f: odd: a rule has no 'help'; it has select, says, why, how"),
        ("[odd]\nselect = ''\nsays = '{targets} pages'", "f: odd.says cannot be used: '{targets} pages'; it has {tar"),
        ("[odd]\nselect = ''\nsays = '{pages:# page}'", "f: odd.says cannot be used: '{pages:# page}'; it has {targ"),
        ("[odd]\nselect = ''\nsays = '{it:# page|# pages}'", "f: odd.says cannot be used: "),
    ],
)
def test_a_rule_that_is_none_is_refused(toml: str, said: str) -> None:
    with pytest.raises(SettingError) as raised:
        rules_of(tomllib.loads(toml), "f: ")
    assert str(raised.value).startswith(said)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of three pages in a folder with a file of rules."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MINICRAWL_CONFIG")
    crawl({HOME: [f"{HOME}x", f"{HOME}y"], f"{HOME}x": [], f"{HOME}y": [HOME]}, tmp_path / "crawl.db", [HOME])
    (tmp_path / "minicrawl.toml").write_text(OWN)
    return tmp_path / "crawl.db"


def test_own_rules_stand_beside_the_others(store: Path) -> None:
    found = answer("audit", "--store", store)
    own = {
        each["rule"]: each for each in found["findings"] if each["rule"] in ("title-short", "host-large", "too-deep")
    }
    assert set(own) == {"host-large", "too-deep"}
    large = own["host-large"]
    assert (large["target"], large["detail"], large["sources"]) == ("a.test", "3 pages", 3)
    assert large["importance"] == pytest.approx(1.0)
    assert sorted(large["examples"]) == [HOME, f"{HOME}x", f"{HOME}y"]
    assert (own["too-deep"]["target"], own["too-deep"]["importance"]) == (HOME, 0.25)
    listed = run("audit", "--rules").stdout
    assert "title-short (error, own)\n    It says nothing." in listed
    assert run("audit", "--fail-on", "host-large", "--store", store).exit_code == 1
    assert run("audit", "--fail-on", "title-short", "--store", store).exit_code == 0


def test_a_source_that_is_no_page_is_a_text(store: Path) -> None:
    wild = "SELECT host, 'x', value FROM page, json_each('[7000, -1, 1.5, \"there\"]') WHERE depth = 0"
    Path("minicrawl.toml").write_text(f"[audit.odd]\nselect = '''{wild}'''\n")
    (odd,) = [each for each in answer("audit", "--store", store)["findings"] if each["rule"] == "odd"]
    assert (odd["target"], odd["sources"], odd["importance"]) == ("a.test", 4, 0)
    assert sorted(odd["examples"]) == ["-1", "1.5", "7000", "there"]


@pytest.mark.parametrize(("apart", "order"), [(1e-12, ["", "x", "y"]), (1e-6, ["y", "x", ""])])
def test_what_differs_by_noise_has_the_order_of_its_names(store: Path, apart: float, order: list[str]) -> None:
    """In the findings and in their causes; what differs by more, that of the importance at stake."""
    query = f"SELECT url, '', NULL, 0.1 + {apart} * unicode(substr(url, -1)) FROM page"
    Path("minicrawl.toml").write_text(f'[audit.odd]\nselect = "{query}"\n')
    found = answer("audit", "--store", store)
    for part in ("findings", "causes"):
        assert [each["target"] for each in found[part] if each["rule"] == "odd"] == [HOME + name for name in order]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT wrong FROM page", "no such column: wrong"),
        ("DELETE FROM pages", "it does more than read"),
        ("", "it asks for nothing"),
        ("SELECT url, '', NULL, 'much' FROM page", "the importance at stake must be a number, not 'much'"),
    ],
)
def test_a_query_that_is_none_is_one_sentence(store: Path, query: str, said: str) -> None:
    Path("minicrawl.toml").write_text(f'[audit.odd]\nselect = "{query}"\n')
    result = run("audit", "--store", store)
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("Error: the rule odd of the audit: ")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1

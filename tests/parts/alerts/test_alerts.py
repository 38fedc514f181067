"""Changes that a crawl tells a command of, through failures and kills."""

import json
import os
import re
import shlex
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from support.intakes import PATIENT
from support.sites import HOME, Site, crawl, rows

from minicrawl.cluster.crawl import check_working
from minicrawl.errors import SettingError
from minicrawl.parts.alerts import Alerts
from minicrawl.settings import CrawlSettings

SITE: Site = {HOME: ["/edited", "/taken"], HOME + "edited": [HOME], HOME + "taken": [HOME]}
TOLD = {("edited", "changed"), ("taken", "gone")}
KEEP = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read())"


def refreshed(store: Path, command: str, site: Site = SITE, **settings: Any) -> None:
    options = {"refresh": True, "pages": 60, "traps": False, "timing": PATIENT, "on_change": command} | settings
    before = 3 * store.exists()
    edited = {HOME + "edited": lambda _, count: [f"<p>edition {count + before > 2}</p>", HOME]}
    taken = {HOME + "taken": lambda _, count: 404 if count + before > 1 else site[HOME + "taken"]}
    crawl(site | edited | taken, store, [HOME], **options)


def calling(script: str, *words: object) -> str:
    return shlex.join([sys.executable, "-c", script, *map(str, words)])


def told(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def whats(lines: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(line["url"].removeprefix(HOME), line["what"]) for line in lines}


def test_command_gets_a_line_a_change(tmp_path: Path) -> None:
    refreshed(tmp_path / "crawl.db", calling(KEEP, tmp_path / "told file"))
    lines = told(tmp_path / "told file")
    assert whats(lines) == TOLD
    assert len(lines) == 2
    edited = next(line for line in lines if line["what"] == "changed")
    assert (edited["added"], edited["removed"]) == (1, 1)
    assert edited.keys() == {"url", "title", "what", "at", "importance", "added", "removed", "kinds"}


@pytest.mark.parametrize(
    ("script", "seconds", "why"),
    [
        ("raise SystemExit(3)", 60.0, "Command '.*' returned non-zero exit status 3."),
        ("import signal; signal.pause()", 0.2, "Command '.*' timed out after .* seconds"),
    ],
)
def test_command_that_fails_is_one_warning_and_the_next_run_tells(  # noqa: PLR0913
    script: str,
    seconds: float,
    why: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level("DEBUG")
    store, file = tmp_path / "crawl.db", tmp_path / "told"
    with monkeypatch.context() as patched:
        patched.setattr(Alerts, "SECONDS", seconds)
        refreshed(store, calling(script, "s3cret"))
    (warning,) = [one for one in caplog.records if one.levelname == "WARNING"]
    expected = rf"the command of --on-change failed \({why}\); the next run with it sends the rest"
    assert re.fullmatch(expected, warning.message)
    assert "s3cret" not in caplog.text
    assert b"s3cret" not in store.read_bytes()
    refreshed(store, calling(KEEP, file), pages=1)
    assert whats(told(file)) >= TOLD
    file.unlink()
    refreshed(store, calling(KEEP, file), pages=1)
    assert not whats(told(file)) & TOLD


def test_changes_of_a_killed_run_are_told_by_the_next(tmp_path: Path) -> None:
    """The run is killed by kill -9 when its first changes are under way."""
    store, file = tmp_path / "crawl.db", tmp_path / "told"
    child = os.fork()
    if not child:
        try:
            refreshed(store, calling(f"{KEEP}; import os; os.kill(int(sys.argv[2]), 9)", file, os.getpid()))
        finally:
            os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    lost = whats(told(file))
    assert lost
    file.unlink()
    refreshed(store, calling(KEEP, file))
    assert lost <= whats(told(file))
    ((until,),) = rows(store, "SELECT value FROM meta WHERE key = 'alerted_until'")
    assert rows(store, "SELECT max(id) FROM changes") == [(until,)]


def test_later_runs_tell_of_new_pages_and_of_no_change_from_before_the_first(tmp_path: Path) -> None:
    store, file = tmp_path / "crawl.db", tmp_path / "told"
    refreshed(store, "")
    more = {**SITE, HOME: [*SITE[HOME], "/more"], HOME + "more": ["<title>More</title>", HOME]}
    refreshed(store, calling(KEEP, file), more)
    assert whats(told(file)) == {("more", "new"), ("", "changed")}


def test_wrong_command_is_refused_without_its_secrets(tmp_path: Path) -> None:
    for wrong in ("https://a.test/s3cret", "no-s3cret-such x", "'s3cret"):
        with pytest.raises(SettingError, match=r"--on-change (?:is not a command|needs a program)") as found:
            refreshed(tmp_path / "crawl.db", wrong)
        assert "s3cret" not in str(found.value)
    assert not (tmp_path / "crawl.db").exists()


def test_partitions_do_not_tell_a_command() -> None:
    with pytest.raises(SettingError, match="--on-change does not work in partitions"):
        check_working(CrawlSettings.of({"on_change": "true"}))

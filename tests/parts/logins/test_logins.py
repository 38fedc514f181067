"""`minicrawl login`, and crawls that stay logged in, on a real site for members."""

import json
import os
import subprocess
import sys
import zlib
from functools import partial
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from support.command_line import answer, run
from support.members import OUT, PASSWORD, USER, Members, serving
from support.prose import prose
from support.sites import HOME, states, text
from support.sites import crawl as crawled

from minicrawl.parts.logins.session import read_password


@pytest.fixture
def password_file(tmp_path: Path) -> Path:
    file = tmp_path / "password"
    file.write_text(f"{PASSWORD}\n")
    return file


def log_in(front: str, tmp_path: Path, password_file: Path, *words: str, page: str = "login") -> str:
    options = ("--allow-private", "--in-clear", "--cookie-file", str(tmp_path / "cookies.txt"))
    given = ("--user", USER, "--password-file", str(password_file))
    result = run("login", f"{front}{page}", *given, *options, *words)
    assert result.exit_code == 0, result.output
    return result.output


def crawl(front: str, tmp_path: Path, *words: str, code: int = 0) -> str:
    store, cookies = tmp_path / "crawl.db", tmp_path / "cookies.txt"
    options = ("--store", str(store), "--cookie-file", str(cookies), "--allow-private", "--delay", "0", "-q")
    result = run("crawl", front, *options, *words)
    assert result.exit_code == code, result.output
    return result.output


def read(tmp_path: Path) -> set[str]:
    return {url.split("/", 3)[3] for url, state in states(tmp_path / "crawl.db").items() if state == "fetched ok"}


def members_of(site: Members) -> set[str]:
    return {path[1:] for path in site.paths}


@pytest.mark.parametrize(
    ("site", "words"),
    [
        (Members(), []),
        (Members(steps=2), []),
        (Members(is_open=True), []),
        (Members(lasts=12), []),
        (Members(lasts=12), ["--keep-parameters"]),  # so redirects come as they are written: relative ones
        (Members(lasts=12, is_open=True, steps=2), []),
        (Members(lasts=12, once=True), []),
        (Members(renews=False), []),
        (Members(pages=60, lasts=40, confirms=8, is_inline=True), []),
        *((Members(lasts=12, refuses=status), []) for status in (200, 401, 403, 404)),
        (Members(refuses=403, has_link=True, is_open=True), []),
        (Members(lasts=12, has_gate=True), []),
        (Members(leaves=("/go?what=1", "Abmelden")), []),
        (Members(leaves=("/go?what=1", "<i title='Log out'></i>")), []),
        (Members(leaves=("/pin/4", "Pin this topic")), []),
        (Members(leaves=("/x/%E7%99%BB%E5%87%BA", "→")), []),
        (Members(hides=tuple(f"/members/{number}" for number in (5, *range(9, 30)))), []),
    ],
    ids=lambda each: repr(each)[:90],
)
def test_all_pages_of_members_are_read_and_nothing_acts(
    site: Members, words: list[str], tmp_path: Path, password_file: Path
) -> None:
    with serving(site) as front:
        log_in(front, tmp_path, password_file)
        said = crawl(front, tmp_path, *words)
    assert members_of(site) - read(tmp_path) == {path[1:] for path in site.hides}
    assert len({path for path in site.asked if path.startswith("/login?next")}) <= 2  # one is the command's
    assert site.acts == {}
    assert "skipped that would end the session or act" in said
    # One login by the command, and one each time that the session is over.
    assert site.logins <= 1 + len(site.asked) // site.lasts
    if site.lasts > site.pages:
        assert site.logins == 1
        assert list(site.sessions.values()) > [0]


def crawled_in_session(links: dict[str, list[str]], tmp_path: Path, **pages: int) -> set[str]:
    """The paths that a crawl with a session asks a.test for. links: of its pages. pages: statuses of others."""
    (tmp_path / "cookies").write_text("a.test\tFALSE\t/\tFALSE\t0\tsession\t1\n")
    bodies = {path: "".join(OUT.format(*each.split(" ", 1)) for each in row) for path, row in links.items()}
    site = {path: text(f"{prose(zlib.crc32(path.encode()))}{body}", "text/html") for path, body in bodies.items()}
    replies = {f"{HOME}{path}": reply for path, reply in (site | pages).items()}
    _, server = crawled(replies, tmp_path / "crawl.db", [HOME], cookie_file=tmp_path / "cookies")
    return {url.removeprefix(HOME) for url in server.asked}


def test_an_order_is_a_title_once_pages_like_it_are_read(tmp_path: Path) -> None:
    """Its turn may come before theirs."""
    links = {
        "": ["t/9 Follow this path", "t/9/w Follow this topic", "all All"],
        "all": ["t/1 Rust"],
        "t/1": [],
        "t/9": [],
    }
    asked = crawled_in_session(links, tmp_path)
    assert ({*links} <= asked, "t/9/w" in asked) == (True, False)


def test_what_acts_is_no_witness_of_its_host(tmp_path: Path) -> None:
    """Where pages fail, one of another folder is asked how the host is."""
    broken = {f"x/{number}": 500 for number in range(9)}
    links = {"": ["a/logout Log out", "ok Fine", *(f"{path} {path}" for path in broken)], "ok": []}
    assert "a/logout" not in crawled_in_session(links, tmp_path, **broken)


def test_pages_that_ask_for_a_password_are_looked_into_ever_more_rarely(tmp_path: Path, password_file: Path) -> None:
    asked = []
    for confirms in (0, 20):
        site, folder = Members(confirms=confirms), tmp_path / f"{confirms}"
        folder.mkdir()
        with serving(site) as front:
            log_in(front, folder, password_file)
            crawl(front, folder)
        assert (members_of(site) <= read(folder), site.logins) == (True, 1)
        asked.append(site.asked.count("/"))
    assert asked[1] - asked[0] == len((1, 2, 3, 4, 8, 16))


def test_a_lost_session_is_told_and_continues_with_another_login(tmp_path: Path) -> None:
    """Nobody has left a password: the crawl ends with an exit code of its own, and pages wait."""
    site, words = Members(lasts=12), ("--in-clear", "--allow-private", "--cookie-file", str(tmp_path / "cookies.txt"))
    with serving(site) as front:
        os.environ["MINICRAWL_PASSWORD"] = PASSWORD
        try:
            for _ in range(2):
                assert run("login", f"{front}login", "--user", USER, *words).exit_code == 0
                site.lasts = 10**6
                if site.logins == 1:
                    said = crawl(front, tmp_path, code=5)
                    assert "The session at 127.0.0.1 is lost, and its pages wait: no --password-file was given" in said
                    assert 0 < len(read(tmp_path)) < 12
                    assert run("login", "--check", *words[1:]).exit_code == 1
            assert run("login", "--check", *words[1:]).output == "127.0.0.1  max  is alive\n"
        finally:
            del os.environ["MINICRAWL_PASSWORD"]
        crawl(front, tmp_path)
    assert members_of(site) <= read(tmp_path)
    assert (site.logins, site.acts) == (2, {})


@pytest.mark.parametrize(
    ("robots", "are_read"), [(("NONE", "NONE"), True), (("nofollow", "noindex,nofollow"), True), (("", "NONE"), False)]
)
def test_what_a_seed_says_to_robots_too_keeps_nothing_from_who_is_logged_in(
    robots: tuple[str, str], are_read: bool, tmp_path: Path, password_file: Path
) -> None:
    site = Members(robots=robots)
    with serving(site) as front:
        log_in(front, tmp_path, password_file)
        crawl(front, tmp_path, "--pages", "9")
        said = crawl(front, tmp_path)
    assert (members_of(site) <= {path[1:] for path in site.asked}) == are_read
    assert ("Left out because their pages say nofollow" in said) != are_read
    assert site.acts == {}


def test_a_seed_that_says_nofollow_no_more_speaks_for_no_other_page(tmp_path: Path, password_file: Path) -> None:
    """In the same run: a round that requests all pages again has the seed among the first."""
    site = Members(robots=("nofollow", "nofollow"))
    with serving(site) as front:
        log_in(front, tmp_path, password_file)
        crawl(front, tmp_path)
        site.robots = ("", "nofollow")
        assert run("refresh", "--store", tmp_path / "crawl.db", "--pages", "60").exit_code == 0
        assert "Left out because their pages say nofollow" in crawl(front, tmp_path)


@pytest.mark.parametrize(("method", "are_read"), [("post", True), ("get", False)])
def test_a_form_that_is_filled_in_says_what_it_holds(
    method: str, are_read: bool, tmp_path: Path, password_file: Path
) -> None:
    """As in the admin pages of a framework: their words are the same on each."""
    site = Members(pages=60, form=method)
    with serving(site) as front:
        log_in(front, tmp_path, password_file)
        crawl(front, tmp_path)
    assert (members_of(site) <= read(tmp_path)) == are_read


def test_what_ends_a_session_without_saying_so_is_asked_once(tmp_path: Path, password_file: Path) -> None:
    site = Members(hidden_way_out=True)
    with serving(site) as front:
        log_in(front, tmp_path, password_file)
        said = crawl(front, tmp_path)
    assert members_of(site) <= read(tmp_path)
    assert (sum(site.acts.values()), site.logins) == (1, 2)
    assert "see-you" in run("why", f"{front}see-you?from=3", "--store", tmp_path / "crawl.db").output
    assert "its answer did" in said or "Log out" in said


def test_actions_are_followed_for_who_wants_that_and_without_a_session(tmp_path: Path, password_file: Path) -> None:
    site = Members(pages=3)
    with serving(site) as front:
        log_in(front, tmp_path, password_file)
        crawl(front, tmp_path, "--follow-actions")
    assert "/accounts/logout/" in site.acts
    assert members_of(site) <= read(tmp_path)
    public = Members(pages=3, is_open=True)
    with serving(public) as front:
        words = ("--store", tmp_path / "other.db", "--cookies", "--allow-private", "--delay", "0", "-q")
        assert run("crawl", front, f"{front}accounts/logout/", *words).exit_code == 0
    assert public.acts == {"/accounts/logout/": 1}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("--password-file", "{wrong}"),
            "127.0.0.1:{port} did not let 'max' in: it says \"Please enter a correct name",
        ),
        (
            ("--password-file", "{right}", "--in-clear", "code"),
            '/code asks for more than a password: it says "Enter the',
        ),
        (("--password-file", "{none}"), "cannot be read"),
        (("--password-file", "{right}"), "takes the password over plain HTTP"),
        (("--password-file", "{right}", "--in-clear"), "has no form with one password field"),
        (
            ("--password-file", "{right}", "--in-clear", "basic"),
            "asks for a password by HTTP, not by a form: crawl with --auth",
        ),
        ((), "there is no terminal to ask for the password"),
    ],
)
def test_a_login_that_fails_says_why_and_nothing_is_kept(
    words: tuple[str, ...], says: str, tmp_path: Path, password_file: Path
) -> None:
    (tmp_path / "wrong").write_text("wrong\n")
    files = {"wrong": tmp_path / "wrong", "none": tmp_path / "none", "right": password_file}
    page = "robots.txt" if "no form" in says else "basic" if "basic" in words else "login"
    site = Members(asks_code="code" in words)
    clear = ("--in-clear",) if "wrong" in "".join(words) else ()
    with serving(site) as front:
        port = front.rstrip("/").rpartition(":")[2]
        given = [word.format(**files) for word in words if word not in ("basic", "code")]
        options = ("--user", USER, "--allow-private", "--cookie-file", tmp_path / "cookies.txt")
        result = run("login", f"{front}{page}", *options, *given, *clear)
    assert result.exit_code in (1, 2)
    assert says.format(port=port) in result.output
    assert PASSWORD not in result.output
    assert not (tmp_path / "cookies.txt").exists()


@pytest.mark.parametrize("steps", [1, 2])
def test_who_is_logged_in_can_log_in_anew(steps: int, tmp_path: Path, password_file: Path) -> None:
    """A session that is alive hides the form; what the login of another site has is left alone."""
    site, other = Members(steps=steps, hides_form=True, pages=3), Members(pages=1)
    names = ("--connect-to", "other.test::127.0.0.1:{}")
    with serving(site) as front, serving(other) as elsewhere:
        port = elsewhere.rstrip("/").rpartition(":")[2]
        log_in("http://other.test/", tmp_path, password_file, *(word.format(port) for word in names))
        for number in (1, 2):
            log_in(front, tmp_path, password_file)
            assert site.logins == number
        checked = run("login", "--check", "--cookie-file", tmp_path / "cookies.txt", "--allow-private",
                      *(word.format(port) for word in names))  # fmt: skip
    assert checked.output == "other.test  max  is alive\n127.0.0.1  max  is alive\n"


@pytest.mark.parametrize(("page", "steps"), [("", 1), ("start", 1), ("start", 2)])
def test_a_page_leads_to_the_form_by_a_link_or_a_refresh(
    page: str, steps: int, tmp_path: Path, password_file: Path
) -> None:
    site = Members(pages=3, is_open=True, has_link=True, steps=steps)
    with serving(site) as front:
        log_in(front, tmp_path, password_file, page=page)
    assert site.logins == 1


def test_a_login_at_another_site_that_posts_who_has_logged_in(tmp_path: Path, password_file: Path) -> None:
    """By a script, as with SAML; other forms are not sent."""
    site = Members(pages=20, lasts=12, is_elsewhere=True)
    with serving(site) as front:
        at = [f"{name}.test::127.0.0.1:{front.rstrip('/').rpartition(':')[2]}" for name in ("app", "login")]
        words = ("--connect-to", at[0], "--connect-to", at[1])
        log_in("http://app.test/", tmp_path, password_file, *words, page="")
        crawl("http://app.test/", tmp_path, *words)
    assert members_of(site) <= read(tmp_path)
    assert (site.acts, site.logins <= 1 + len(site.asked) // site.lasts) == ({}, True)


@pytest.mark.parametrize("octets", [b"%s", b"%s\n", b"%s\r\nmore", b"\xef\xbb\xbf%s"])
@pytest.mark.parametrize("password", ["a b  c ", "q\"uo'te$`\\", "%41+&=;", "a\u2028\x0cb"])
def test_a_password_is_the_first_line_of_its_file(octets: bytes, password: str, tmp_path: Path) -> None:
    (tmp_path / "password").write_bytes(octets % password.encode())
    assert read_password(tmp_path / "password") == password


def test_a_login_that_lands_where_the_account_may_not_go_is_one(tmp_path: Path, password_file: Path) -> None:
    site = Members(pages=3, lands="/members/none")
    with serving(site) as front:
        log_in(front, tmp_path, password_file)
        crawl(front, tmp_path)
    assert members_of(site) <= read(tmp_path)


def test_the_first_page_behind_a_login_is_the_seed_to_begin_with(tmp_path: Path, password_file: Path) -> None:
    site = Members(pages=3, hides_form=True, lands="/members/0", is_open=True)
    with serving(site) as front:
        assert f"minicrawl crawl {front}members/0 --cookie-file" in log_in(front, tmp_path, password_file)


def kill_at_request(process: "subprocess.Popen[bytes]", which: int, number: int) -> None:
    if number == which:
        process.kill()


@pytest.mark.slow
def test_a_crawl_that_is_killed_stays_logged_in(tmp_path: Path, password_file: Path) -> None:
    site = Members(lasts=15)
    with serving(site) as front:
        log_in(front, tmp_path, password_file)
        words = ["--store", tmp_path / "crawl.db", "--cookie-file", tmp_path / "cookies.txt"]
        words += ["--allow-private", "--delay", "0", "-q"]
        for kill_at in (10, 25, 10**6):
            command = [sys.executable, "-m", "minicrawl", "crawl", front, *map(str, words)]
            with subprocess.Popen(command) as process:
                site.on_request = partial(kill_at_request, process, len(site.asked) + kill_at)
                process.wait()
    assert members_of(site) <= read(tmp_path)
    assert site.acts == {}
    assert site.logins <= 1 + 3 + len(site.asked) // site.lasts


def test_a_password_is_in_no_file(tmp_path: Path, password_file: Path) -> None:
    folder = tmp_path / "run"
    with serving(Members(lasts=12, pages=15)) as front:
        log_in(front, tmp_path, password_file)
        folder.mkdir()
        (tmp_path / "cookies.txt").rename(folder / "cookies.txt")
        crawl(front, folder, "--archive", str(folder / "warc"), "--text", "--audit")
    store = ("--store", folder / "crawl.db")
    assert run("export", folder / "ranks.csv", *store).exit_code == 0
    assert run("report", folder / "report.html", *store).exit_code == 0
    spelt = {PASSWORD, quote(PASSWORD), quote_plus(PASSWORD), json.dumps(PASSWORD)}
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 5
    for file in files:
        octets = file.read_bytes()
        assert not [each for each in spelt if each.encode() in octets], file


@pytest.mark.parametrize("url", ["ftp://a.test/login", "seeds.txt:x", "http://"])
def test_a_url_that_is_none_is_told(url: str, tmp_path: Path, password_file: Path) -> None:
    result = run("login", url, "--user", USER, "--password-file", password_file)
    assert (result.exit_code, "is not an http or https URL" in result.output) == (2, True)


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path, password_file: Path) -> None:
    (tmp_path / "file").write_text("")
    words = ("--password-file", password_file, "--allow-private", "--in-clear")
    with serving(Members()) as front:
        result = run("login", f"{front}login", "--user", USER, *words, "--cookie-file", tmp_path / "file/cookies.txt")
    assert (result.exit_code, "cannot be" in result.output) == (2, True)


def test_the_session_of_a_browser_is_read(tmp_path: Path, password_file: Path) -> None:
    site = Members(pages=5)
    with serving(site) as front:
        log_in(front, tmp_path, password_file)
        (session,) = site.sessions
        row = {"name": "session", "value": session, "domain": "127.0.0.1", "path": "/", "expires": -1, "httpOnly": True}
        (tmp_path / "cookies.txt").write_text(json.dumps({"cookies": [row], "origins": []}))
        crawl(front, tmp_path)
    assert members_of(site) <= read(tmp_path)
    assert (site.acts, site.logins) == ({}, 1)


def test_which_account_is_told(tmp_path: Path, password_file: Path) -> None:
    with serving(Members(pages=3)) as front:
        log_in(front, tmp_path, password_file, page="members/1")  # which leads to the form
        crawl(front, tmp_path)
    figures = answer("status", "--store", tmp_path / "crawl.db")["parts"]["logins"]
    assert figures["accounts"] == {"127.0.0.1": USER}
    assert {row["url"].rpartition("/")[2] or "logout" for row in figures["acting"]} == {"logout", "delete"}


def test_a_lost_session_is_no_change_of_watched_pages(tmp_path: Path, password_file: Path) -> None:
    """The site has forgotten the session between two rounds; without the password the pages could not be checked."""
    site = Members(pages=4)
    with serving(site) as front:
        log_in(front, tmp_path, password_file)
        files = ("--cookie-file", tmp_path / "cookies.txt", "--store", tmp_path / "w.db")
        words = (*files, "--allow-private", "--delay", "0", "--confirm", "0")
        pages = [f"{front}members/{number}" for number in range(4)]
        for has_password in (True, True, False):
            result = run("watch", *pages, *words, "--json")
            assert result.exit_code == (0 if has_password else 3)
            told = json.loads(result.stdout.splitlines()[0])
            assert (told["changed"], told["lost"]) == ([], [])
            assert [each["why"] for each in told["unreadable"]] == ([] if has_password else ["session-lost"])
            site.sessions.clear()
            if site.logins == 2:
                password_file.unlink(missing_ok=True)
    assert site.logins == 2

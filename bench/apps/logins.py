"""Crawl real applications behind a login, at all defaults but the delay, and count what a member gets.

    python bench/apps/logins.py dokuwiki wordpress [--folder data/apps]

private: pages that only a member sees. acting: requests, by the server's log, that log out, delete, approve and so on.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from apps import dokuwiki, wordpress
from apps.application import Application, run

import minicrawl

USER, PASSWORD = "max", "s3cr&t wörd"
_ACTING = re.compile(r"GET \S*(?:logout|delete|trash|approve(?!d)|activate|unsubscribe|_wpnonce|sectok)")
_FILL = """<?php require 'wp-load.php'; $id = username_exists($argv[1]) ?: wp_create_user($argv[1], $argv[2]);
(new WP_User($id))->set_role('administrator');
for ($i = 0; $i < 20; $i++) $posts[] = wp_insert_post(['post_title' => "Plan $i " . md5($i), 'post_author' => $id,
    'post_content' => 'Words ' . md5("a$i") . ' and ' . md5("b$i"), 'post_status' => 'private']);
echo json_encode($posts);"""


def for_members_of_dokuwiki(folder: Path, application: Application) -> tuple[str, frozenset[str]]:
    """Let nobody but members read. Returns where they log in, and what is private."""
    conf = folder / "app/conf"
    digest = run("php", "-r", "echo password_hash($argv[1], PASSWORD_BCRYPT);", PASSWORD)
    settings = (conf / "local.php").read_text().replace("$conf['useacl'] = 0", "$conf['useacl'] = 1")
    (conf / "local.php").write_text(settings)
    (conf / "users.auth.php").write_text(f"# users\n{USER}:{digest}:Max:max@x.org:user\n")
    (conf / "acl.auth.php").write_text("# rights\n*\t@ALL\t0\n*\t@user\t1\n")
    return f"{application.front}?id=start&do=login", application.wanted


def for_members_of_wordpress(folder: Path, application: Application) -> tuple[str, frozenset[str]]:
    """Add private posts. Returns where one logs in, and what is private."""
    posts = run("php", "-r", "eval('?>' . $argv[3]);", USER, PASSWORD, _FILL, cwd=folder / "app")
    return f"{application.front}wp-login.php", frozenset(f"post/{one}" for one in json.loads(posts))


APPLICATIONS = {
    "dokuwiki": (dokuwiki.application, for_members_of_dokuwiki),
    "wordpress": (wordpress.application, for_members_of_wordpress),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=[*APPLICATIONS], choices=[*APPLICATIONS])
    parser.add_argument("--folder", type=Path, default=Path("data/apps"))
    given = parser.parse_args()
    print(
        "  ".join(f"{head:>11}" for head in ("application", "private", "read", "requests", "logins", "acting", "alive"))
    )
    for name in given.names:
        make, prepare = APPLICATIONS[name]
        place = given.folder.absolute() / f"{name}-members"
        place.mkdir(parents=True, exist_ok=True)
        with make(place) as application, tempfile.TemporaryDirectory() as folder:
            login, private = prepare(place, application)
            (password := Path(folder) / "password").write_text(PASSWORD)
            options = ["--cookie-file", f"{folder}/cookies.txt", "--allow-private"]
            by_form = ["login", login, "--user", USER, "--password-file", str(password), "--in-clear"]
            crawl = ["crawl", application.front, "--store", f"{folder}/crawl.db", "--delay", "0", "-q"]
            for words in (by_form, crawl, ["login", "--check"]):
                command = [sys.executable, "-m", "minicrawl", *words, *options]
                said = subprocess.run(command, capture_output=True, text=True, check=False)
            with minicrawl.open_store(Path(folder) / "crawl.db") as store:
                query = "SELECT url FROM pages JOIN fetches ON fetches.id = fetch WHERE status = 200"
                read = {application.page_of(url) for (url,) in store.rows(query)}
            log = (place / "php.log").read_text("utf-8", "replace")
            gets, posts = log.count("GET /"), len(re.findall(r"POST /(?!wp-cron)", log))
            row = (
                name,
                len(private),
                len(private & read),
                gets,
                posts,
                len(_ACTING.findall(log)),
                said.returncode == 0,
            )
            print("  ".join(f"{cell!s:>11}" for cell in row))


if __name__ == "__main__":
    main()

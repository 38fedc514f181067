"""Crawl real applications behind a login, at all defaults but the delay, and count what a member gets.

    python bench/apps/logins.py dokuwiki wordpress oscar django mediawiki steps short [--folder data/apps]

private: pages that only a member sees. acting: requests, by the server's log, that log out, delete, approve and so on.
The crawl is killed in the midst, and continued. django: its admin, of the shop. steps, short: made webs, where a login
has two steps, or lasts for 50 requests. alive: another client has a private page with the crawl's cookies then.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from http.cookiejar import MozillaCookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from apps import dokuwiki, mediawiki, oscar, wordpress
from apps.application import Application, prose, run
from support.members import PASSWORD, USER, Members, serving

import minicrawl

_ACTING = (
    "logout|delete|remove|(?<!status=)trash|approve(?!d)|activate|unsubscribe|nonce|sectok|rollback|n=(un)?watch|purge"
)
_FILL = """<?php require 'wp-load.php'; $id = username_exists($argv[1]) ?: wp_create_user($argv[1], $argv[2]);
(new WP_User($id))->set_role('administrator');
for ($i = 0; $i < 20; $i++) $posts[] = wp_insert_post(['post_title' => "Plan $i " . md5($i), 'post_author' => $id,
    'post_content' => 'Words ' . md5("a$i") . ' and ' . md5("b$i"), 'post_status' => 'private']);
echo json_encode($posts);"""

_ORDERS = """
import json, sys
import django
django.setup()
from django.contrib.auth.models import User
from oscar.apps.address.models import Country
from oscar.apps.order.models import Order, ShippingAddress
user = User.objects.filter(username=sys.argv[1]).first()
user = user or User.objects.create_superuser(sys.argv[1], "max@x.org", sys.argv[2])
money = dict.fromkeys(["total_incl_tax", "total_excl_tax", "shipping_incl_tax", "shipping_excl_tax"], 1)
home, _ = Country.objects.get_or_create(iso_3166_1_a2="GB", name="Home", printable_name="Home")
for number, lines in enumerate([] if Order.objects.exists() else json.load(sys.stdin)):
    to = ShippingAddress.objects.create(country=home, **dict(zip(["line1", "line2", "line3"], lines)))
    Order.objects.create(number=number, user=user, shipping_address=to, **money)
"""


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


def for_customers_of_oscar(folder: Path, application: Application) -> tuple[str, frozenset[str]]:
    """Add a customer, who is of the staff, and orders. Returns where they log in, and the orders."""
    rng, env = random.Random(6), {"DJANGO_SETTINGS_MODULE": "settings"}
    addresses = json.dumps([[prose(rng, 30)[:200] for _ in range(3)] for _ in range(60)])
    run(folder / "venv/bin/python", "-c", _ORDERS, USER, PASSWORD, cwd=folder, env=env, given=addresses)
    return f"{application.front}dashboard/login/", frozenset(f"orders/{number}" for number in range(60))


def for_staff_of_django(folder: Path, application: Application) -> tuple[str, frozenset[str]]:
    """The same, in the admin of the framework."""
    _, orders = for_customers_of_oscar(folder, application)
    return application.front, frozenset(f"order/order/{number + 1}" for number in range(len(orders)))


def for_members_of_mediawiki(folder: Path, application: Application) -> tuple[str, frozenset[str]]:
    """Let nobody but members read. Returns where they log in, and what is private."""
    with (folder / "LocalSettings.php").open("a") as settings:
        settings.write("\n$wgGroupPermissions['*']['read'] = $wgGroupPermissions['*']['edit'] = false;\n")
    words = ("/usr/share/mediawiki/maintenance/createAndPromote.php", "--force", USER, PASSWORD)
    run("php", *words, env={"MW_CONFIG_FILE": str(folder / "LocalSettings.php")})
    return application.front, application.wanted


@contextmanager
def admin(folder: Path) -> Iterator[Application]:
    """The admin of the shop."""
    with oscar.application(folder) as shop:
        yield replace(shop, front=f"{shop.front}admin/")


@contextmanager
def made(folder: Path, **ways: Any) -> Iterator[Application]:
    """A made web of 200 pages, which writes a server's log."""
    site = Members(pages=200, **ways)

    def note(_: int) -> None:
        lines = (*(f"GET {path} " for path in site.asked), *["POST /"] * site.logins)
        (folder / "made.log").write_text("\n".join(lines))

    note(0)
    site.on_request = note
    with serving(site) as front:
        yield Application("made", front, lambda url: urlsplit(url).path, frozenset(site.paths))


def for_members(folder: Path, application: Application) -> tuple[str, frozenset[str]]:
    return f"{application.front}login", application.wanted


def killed(command: list[str], log: Path) -> None:
    """Run a crawl, and kill it once the server has answered a hundred requests more."""
    until = log.read_bytes().count(b"GET /") + 100
    with subprocess.Popen(command) as process:
        while process.poll() is None and log.read_bytes().count(b"GET /") < until:
            time.sleep(0.05)
        process.kill()


def is_let_in(url: str, cookies: Path) -> bool:
    """True if another client gets the page at a URL with the cookies of a file."""
    jar = MozillaCookieJar(cookies)
    jar.load(ignore_discard=True, ignore_expires=True)
    for cookie in jar:
        cookie.expires = cookie.expires or None  # 0 in a file of cookies: it ends with its session
    answer = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar)).open(url, timeout=60)
    return bool(answer.status == 200 and answer.url == url)


APPLICATIONS: dict[str, tuple[Callable[[Path], AbstractContextManager[Application]], Callable[..., Any]]] = {
    "oscar": (oscar.application, for_customers_of_oscar),
    "dokuwiki": (dokuwiki.application, for_members_of_dokuwiki),
    "wordpress": (wordpress.application, for_members_of_wordpress),
    "django": (admin, for_staff_of_django),
    "mediawiki": (mediawiki.application, for_members_of_mediawiki),
    "steps": (partial(made, steps=2), for_members),
    "short": (partial(made, lasts=50), for_members),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default="all", choices=("all", *APPLICATIONS))
    parser.add_argument("--folder", type=Path, default=Path("data/apps"))
    given = parser.parse_args()
    print(
        "  ".join(f"{head:>11}" for head in ("application", "private", "read", "requests", "logins", "acting", "alive"))
    )
    for name in APPLICATIONS if "all" in given.names else given.names:
        make, prepare = APPLICATIONS[name]
        place = given.folder.absolute() / f"{'oscar' if name == 'django' else name}-members"
        place.mkdir(parents=True, exist_ok=True)
        with make(place) as application, tempfile.TemporaryDirectory() as folder:
            login, private = prepare(place, application)
            (password := Path(folder) / "password").write_text(PASSWORD)
            cookies = Path(folder) / "cookies.txt"
            options = ["--cookie-file", str(cookies), "--allow-private"]
            by_form = ["login", login, "--user", USER, "--password-file", str(password), "--in-clear"]
            crawl = ["crawl", application.front, "--store", f"{folder}/crawl.db", "--delay", "0", "-q"]
            by_form, crawl = ([sys.executable, "-m", "minicrawl", *words, *options] for words in (by_form, crawl))
            file = next(filter(Path.exists, (place / f"{each}.log" for each in ("php", "gunicorn", "made"))))
            run(*by_form)
            killed(crawl, file)
            run(*crawl)
            with minicrawl.open_store(Path(folder) / "crawl.db") as store:
                query = "SELECT url FROM pages JOIN fetches ON fetches.id = fetch WHERE status = 200"
                read = {application.page_of(url): url for (url,) in store.rows(query)}
            log = file.read_text("utf-8", "replace")
            gets, posts = log.count("GET /"), len(re.findall(r"POST /(?!wp-cron)", log))
            row = (
                name,
                len(private),
                len(private & read.keys()),
                gets,
                posts,
                len(re.findall(rf"(?i)GET \S*(?:{_ACTING})", log)),
                any(is_let_in(url, cookies) for page, url in read.items() if page in private),
            )
            print("  ".join(f"{cell!s:>11}" for cell in row))


if __name__ == "__main__":
    main()

"""DokuWiki, as Debian has it (apt-get install dokuwiki php-cli php-xml php-mbstring), with 200 pages."""

import contextlib
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from apps.application import Application, free_port, names, prose, served

_HOME = Path("/usr/share/dokuwiki")
_FOLDERS = ("pages", "attic", "media", "media_attic", "media_meta", "meta", "cache", "index", "locks", "tmp", "log")


@contextlib.contextmanager
def application(folder: Path, pages: int = 200, seed: int = 2) -> Iterator[Application]:
    """The wiki, filled in `folder` unless it is there, and served in the block."""
    app, data, rng = folder / "app", folder / "data", random.Random(seed)
    titles = [title.lower().replace(" ", "_") for title in names(rng, pages)]
    ids = [f"space{number % 10}:{title}" for number, title in enumerate(titles)]
    if not app.exists():
        shutil.copytree(_HOME, app, ignore_dangling_symlinks=True)
        shutil.copytree("/etc/dokuwiki", app / "conf", ignore_dangling_symlinks=True)
        places = f"<?php define('DOKU_MAIN_CONF', '{app}/conf/'); define('DOKU_CONF', DOKU_MAIN_CONF);"
        (app / "inc/preload.php").write_text(places)
        (app / "conf/local.php").write_text(
            f"<?php $conf['savedir'] = '{data}'; $conf['title'] = 'Orchards'; $conf['useacl'] = 0; "
            "$conf['indexdelay'] = 0;\n"
        )
        for name in _FOLDERS:
            (data / name).mkdir(parents=True)
        for number, name in enumerate(ids):
            links = " ".join(f"[[{ids[rng.randrange(pages)]}]]" for _ in range(4))
            text = f"====== {name} ======\n\n{prose(rng)}\n\n===== More =====\n\n{prose(rng)}"
            text += f" {links} [[{ids[number - 1]}]]"
            _write(data / "pages", name, text)
        _write(data / "pages", "start", "====== Orchards ======\n\n" + " ".join(f"[[{name}]]" for name in ids[:20]))
    port = free_port()
    front = f"http://127.0.0.1:{port}/doku.php"
    words = ("php", "-S", f"127.0.0.1:{port}", "-t", app)
    with served(*words, waits_for=front, cwd=folder, env={"PHP_CLI_SERVER_WORKERS": "4"}):
        yield Application("dokuwiki", front, _page_of, frozenset([*ids, "start"]))


def _write(pages: Path, name: str, text: str) -> None:
    path = pages / f"{name.replace(':', '/')}.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def _page_of(url: str) -> str | None:
    parts = urlsplit(url)
    asked = parse_qs(parts.query)
    if parts.path not in {"/", "/doku.php"} or asked.keys() - {"id"}:
        return None
    return asked.get("id", ["start"])[0]

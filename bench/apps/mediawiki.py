"""MediaWiki, as Debian has it (apt-get install mediawiki php-cli php-sqlite3 php-intl), with 400 articles."""

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from apps.application import Application, file_of, free_port, names, prose, run, served

_HOME = Path("/usr/share/mediawiki")


@contextlib.contextmanager
def application(folder: Path, articles: int = 400, seed: int = 1) -> Iterator[Application]:
    """The wiki, filled in `folder` unless it is there, and served in the block."""
    port = free_port()
    settings, pages = folder / "LocalSettings.php", folder / "pages"
    env = {"MW_CONFIG_FILE": str(settings), "PHP_CLI_SERVER_WORKERS": "4"}
    rng = random.Random(seed)
    titles = names(rng, articles)
    kinds = [f"Kind {number}" for number in range(12)]
    if not settings.exists():
        pages.mkdir(parents=True)
        words = ("--confpath", folder, "--dbtype=sqlite", "--dbpath", folder / "db", "--server=http://127.0.0.1")
        owner = ("--scriptpath=", "--pass=a-long-password", "Gardens", "Keeper")
        run("php", _HOME / "maintenance/install.php", *words, *owner)
        for turn in range(2):  # a second version of each, so that there is a history
            for number, title in enumerate(titles):
                links = " ".join(f"[[{titles[rng.randrange(articles)]}]]" for _ in range(4))
                linked = f"{links} [[{titles[(number + 1) % articles]}]]"
                text = f"{prose(rng)}\n\n== History ==\n{prose(rng)}\n\n{linked} [[Category:{kinds[number % 12]}]]"
                (pages / title).write_text(text)
            (pages / "Main Page").write_text(
                " ".join(f"[[:Category:{kind}]]" for kind in kinds) + f" [[{titles[turn]}]]"
            )
            run("php", _HOME / "maintenance/importTextFiles.php", "--overwrite", *pages.iterdir(), env=env)
        run("php", _HOME / "maintenance/runJobs.php", env=env)
    (folder / "port.php").write_text(f'<?php $wgServer = "http://127.0.0.1:{port}";')
    if "port.php" not in settings.read_text():
        with settings.open("a") as more:
            more.write('\nrequire __DIR__ . "/port.php"; $wgArticlePath = "/index.php/$1"; $wgUsePathInfo = true;\n')
    (folder / "router.php").write_text(file_of("mediawiki.router.php") % (str(_HOME), str(_HOME)))
    front = f"http://127.0.0.1:{port}/"
    with served(
        "php", "-S", f"127.0.0.1:{port}", "-t", _HOME, folder / "router.php", waits_for=front, cwd=folder, env=env
    ):
        wanted = [title.replace(" ", "_") for title in [*titles, "Main Page"]]
        yield Application("mediawiki", front, _page_of, frozenset(wanted))


def _page_of(url: str) -> str | None:
    parts = urlsplit(url)
    title = unquote(parts.path.removeprefix("/index.php/")) if parts.path.startswith("/index.php/") else ""
    if parts.query:
        asked = parse_qs(parts.query)
        if asked.keys() != {"title"}:
            return None
        title = asked["title"][0]
    if parts.path == "/":
        return "*front"
    name = title.replace(" ", "_")
    if not name or name.startswith(("Special:", "MediaWiki:")):
        return None
    return f"*{name}" if ":" in name else name

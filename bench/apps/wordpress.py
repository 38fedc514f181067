"""WordPress, as Debian has it, with 300 posts.

apt-get install wordpress wordpress-theme-twentytwentyone php-cli php-mysql mariadb-server
"""

import contextlib
import getpass
import json
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from apps.application import Application, file_of, free_port, names, prose, run, served


@contextlib.contextmanager
def application(folder: Path, posts: int = 300, seed: int = 6) -> Iterator[Application]:
    """The site with its own database server, filled in `folder` unless it is there, and served in the block."""
    app, data, rng = folder / "app", folder / "database", random.Random(seed)
    line = folder / "mysql"
    if not app.exists():
        shutil.copytree("/usr/share/wordpress", app, ignore_dangling_symlinks=True)
        (app / "wp-config.php").unlink(missing_ok=True)
        (app / "wp-config.php").write_text(file_of("wordpress.config.php") % (getpass.getuser(), line))
        words = ("--no-defaults", f"--datadir={data}", f"--user={getpass.getuser()}")
        run("mariadb-install-db", *words, "--auth-root-authentication-method=socket")
    port = free_port()
    (app / "port").write_text(str(port))
    front = f"http://127.0.0.1:{port}/"
    database = ("mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={line}", "--skip-networking")
    with served(*database, f"--user={getpass.getuser()}", waits_for=line, cwd=folder):
        if not (ids := folder / "posts.json").exists():
            run("mariadb", f"--socket={line}", "-e", "CREATE DATABASE blog")
            texts = [(title, prose(rng), f"tag{rng.randrange(20)}", prose(rng, 20)) for title in names(rng, posts)]
            fill = ("php", "-r", "eval('?>' . $argv[1]);", file_of("wordpress.fill.php"))
            ids.write_text(run(*fill, cwd=app, given=json.dumps(texts)))
        command = ("php", "-S", f"127.0.0.1:{port}", "-t", app)
        with served(*command, waits_for=front, cwd=folder, env={"PHP_CLI_SERVER_WORKERS": "4"}):
            wanted = frozenset(f"post/{one}" for one in json.loads(ids.read_text()))
            yield Application("wordpress", front, _page_of, wanted)


def _page_of(url: str) -> str | None:
    parts = urlsplit(url)
    asked = parse_qs(parts.query)
    if parts.path not in {"/", "/index.php"}:
        return None
    if asked.keys() == {"p"}:
        return f"post/{asked['p'][0]}"
    is_list = re.fullmatch(r"((cat|tag|author|m|paged|page_id)=[^&]*&?)*", parts.query)
    return f"*{parts.query}" if is_list else None

"""Kills a process that copies a crawl before every call that it makes of the system, one after the other.

    python killed_at.py FOLDER

FOLDER/web has the crawl. Each time FOLDER/now is a copy of it, on which a child works that kills itself; then what is
left must be a crawl, and the same command must end well. It prints how often it has killed, and whether a copy
was there.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

from support.gathered import all_violations

from minicrawl.cluster.backup import backup_all
from minicrawl.cluster.folder import Folder, found

CALLS = ("open", "os.", "shutil.", "sqlite3.", "fcntl.")


def killed_before(step: int, act: Callable[[], object]) -> bool:
    """Do it in a child that kills itself before its call of this number; False where it has made fewer."""
    child = os.fork()
    if not child:
        calls = count()

        def kill(event: str, _: object) -> None:
            if event.startswith(CALLS) and next(calls) == step:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(kill)
        act()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "what it printed says why"
    return os.WIFSIGNALED(status)


def sound(folder: Folder) -> Folder:
    with folder.opened() as stores:
        faults = list(all_violations(stores))
        assert not faults, faults
    return folder


def backed_up(now: Path) -> str:
    """Whether a copy is there after one that was killed; another one ends well."""
    sound(found(now / "web"))
    is_there = (now / "copy").exists()
    if is_there:
        shutil.rmtree(sound(found(now / "copy")).path)
    sound(backup_all(found(now / "web"), now / "copy"))
    assert sorted(path.name for path in now.iterdir()) == ["copy", "web"], "nothing is left over"
    return "copy" if is_there else "none"


def main(path: Path) -> None:
    now, places = path / "now", []
    folder = now / "web"
    for step in count():
        shutil.rmtree(now, ignore_errors=True)
        shutil.copytree(path / "web", folder)
        is_killed = killed_before(step, lambda: backup_all(found(folder), now / "copy"))
        places.append(backed_up(now))
        if not is_killed:
            break
    sys.stdout.write(json.dumps({"kills": step, "places": places}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

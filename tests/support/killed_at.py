"""Kills a process that moves or copies a crawl before every call that it makes of the system, one after the other.

    python killed_at.py move|backup|move-between|backup-between FOLDER

FOLDER/web has the crawl. Each time FOLDER/now is a copy of it, on which a child works that kills itself; then what is
left must be a crawl, and the same command must end well. It prints how often it has killed, and where partition 1 was.
What is between machines is done by two of this one process, all of which are killed at once.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

from support.cluster_folders import as_here, spread_over_machines
from support.machine_calls import called

from minicrawl.analysis.consistency import all_violations
from minicrawl.cluster.backup import backup_all
from minicrawl.cluster.folder import Folder, found
from minicrawl.cluster.machines.carrying import Call, Remote, backup_between, move_between
from minicrawl.cluster.moving import move
from minicrawl.store.partitions.agreement import check_agreement
from minicrawl.store.partitions.folder import Place

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


def moved(now: Path) -> str:
    """Where partition 1 is after a move that was killed; another one ends well."""
    folder = sound(found(now / "web"))
    place = folder.places[1].folder
    target = now / "disk" if place == "." else now / "web"
    sound(move(folder, 1, target))
    sound(move(found(now / "web"), 1, now / "third"))
    return place


def backed_up(now: Path) -> str:
    """Whether a copy is there after one that was killed; another one ends well."""
    sound(found(now / "web"))
    is_there = (now / "copy").exists()
    if is_there:
        shutil.rmtree(sound(found(now / "copy")).path)
    sound(backup_all(found(now / "web"), now / "copy"))
    assert sorted(path.name for path in now.iterdir()) == ["copy", "web"], "nothing is left over"
    return "copy" if is_there else "none"


def between() -> dict[str | None, Call]:
    """What copies stores on two machines."""
    return {None: called(Remote()), "beta": called(Remote())}


def move_away(now: Path, target: Place) -> Folder:
    folder = found(now / "web")
    return move_between(folder, 1, target, between(), lambda: check_agreement(as_here(folder)), most_bytes=10**6)[0]


def moved_away(now: Path) -> str:
    """Where partition 1 is after it was to be moved to machine beta; back and forth it goes well."""
    folder = found(now / "web")
    sound(as_here(folder))
    place = folder.places[1]
    other = Place(str(now / "web")) if place.machine else Place(str(now / "disk"), machine="beta")
    sound(as_here(move_away(now, other)))
    sound(as_here(move_away(now, Place(str(now / "third"), machine="beta"))))
    left = [file.name for part in ("web", "disk", "third") for file in (now / part).glob(".*")]
    assert left == [], "nothing is left over"
    return place.machine or "."


def back_up_all(now: Path) -> Folder:
    return backup_between(found(now / "web"), now / "copy", between(), most_bytes=10**6)


def backed_up_between(now: Path) -> str:
    sound(as_here(found(now / "web")))
    is_there = (now / "copy").exists()
    if is_there:
        shutil.rmtree(sound(found(now / "copy")).path)
    sound(back_up_all(now))
    assert sorted(path.name for path in now.iterdir()) == ["copy", "disk", "web"], "nothing is left over"
    left = [file.name for part in ("web", "disk", "copy") for file in (now / part).glob(".*")]
    assert left == [], "nothing is left over"
    return "copy" if is_there else "none"


def main(what: str, path: Path) -> None:
    now, places = path / "now", []
    folder = now / "web"
    for step in count():
        shutil.rmtree(now, ignore_errors=True)
        shutil.copytree(path / "web", folder)
        if what == "backup-between":
            spread_over_machines(found(folder), now / "disk")
            is_killed = killed_before(step, lambda: back_up_all(now))
            places.append(backed_up_between(now))
        elif what == "move-between":
            is_killed = killed_before(step, lambda: move_away(now, Place(str(now / "disk"), machine="beta")))
            places.append(moved_away(now))
        elif what == "move":
            is_killed = killed_before(step, lambda: move(found(folder), 1, now / "disk"))
            places.append(moved(now))
        else:
            is_killed = killed_before(step, lambda: backup_all(found(folder), now / "copy"))
            places.append(backed_up(now))
        if not is_killed:
            break
    sys.stdout.write(json.dumps({"kills": step, "places": places}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))

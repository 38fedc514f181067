"""The folder of a small crawl in two partitions, made without a network: with rows on their way, and some taken."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.partitions import Partitions, random_web
from support.patience import PATIENCE

from minicrawl.cluster.folder import Folder, found
from minicrawl.settings import CrawlSettings


def some_folder(path: Path, exchanges: int = 2) -> Folder:
    web = random_web(random.Random(3))
    path.mkdir(parents=True)
    with Partitions(path, web, list(web)[:3], 2) as partitions:
        for _ in range(exchanges):
            for number in partitions.numbers:
                for _ in range(5):
                    partitions.turn(number)
            partitions.exchange()
        for number in partitions.numbers:
            while partitions.turn(number):
                pass
            partitions.commit(number)
        homes = partitions.homes
    folder = Folder(path, "a crawl", homes.secret, 2, {})
    folder.keep_settings(CrawlSettings())
    return found(path)


def killed_at_every_step(folder: Path) -> dict[str, Any]:
    """What killed_at.py says of a folder that has a crawl in "web"."""
    words = [sys.executable, "-m", "support.killed_at", str(folder)]
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=PATIENCE, env=paths)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return dict(json.loads(done.stdout))

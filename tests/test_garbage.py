"""The cyclic garbage collector of a process of minicrawl's own."""

import subprocess
import sys

PROGRAM = """
import atexit, gc
from minicrawl.system import manage_memory
atexit.register(lambda: print(gc.get_freeze_count() > 1000))
before = gc.get_threshold()
manage_memory()
print(gc.get_threshold() > before, gc.isenabled())
"""


def test_collections_are_seldom_and_have_nothing_to_do_at_the_end() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout == "True True\nTrue\n"

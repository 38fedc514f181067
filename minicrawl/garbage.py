"""The memory of a process of minicrawl's own: its cyclic garbage collector, and the allocator.

A crawl makes few cycles, and many lasting objects.
"""

import atexit
import gc

from minicrawl.system import keep_little_free_memory

_NEW, _YOUNG, _OLD = 100_000, 20, 50


def collect_seldom() -> None:
    """Collect cycles once in many new objects, and none at the end of the process, which frees all memory anyway.

    The standard thresholds would cost a tenth of a crawl's time, and the last collections of a large heap seconds.
    """
    gc.set_threshold(_NEW, _YOUNG, _OLD)
    atexit.register(gc.freeze)


def manage_memory() -> None:
    """Set up the collector and the allocator of a process that works for a crawl."""
    collect_seldom()
    keep_little_free_memory()

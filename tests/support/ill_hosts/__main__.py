"""Print the figures of all kinds, or of those whose names have a word: ORDER DELAY [WORD]."""

import sys
import tempfile
import time
from pathlib import Path

from support.ill_hosts import HEADING, ILL, WELL, figures

order, delay, *words = sys.argv[1:] or ("mixed", "1")
sys.stdout.write(f"{f'order {order}, delay {delay}':<52}{HEADING}{'CPU':>7}\n")
for name, kind in (ILL | WELL).items():
    if words and not any(word in name for word in words):
        continue
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        found = figures(kind, Path(folder) / "crawl.db", order=order, delay=float(delay))
        sys.stdout.write(f"{name:<52}{found.row()}{time.process_time() - began:>7.2f}\n")
        sys.stdout.flush()

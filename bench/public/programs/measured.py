"""Run a command and write its cost to a file: a small process, as Linux counts the memory of whoever starts one, too.

PYTHON measured.py FILE SECONDS COMMAND...          it is ended after so many seconds
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path


def main() -> None:
    file, limit, *command = sys.argv[1:]
    started = time.monotonic()
    code = subprocess.run(command, timeout=float(limit), check=False).returncode
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    cost = [usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, time.monotonic() - started]
    Path(file).write_text(json.dumps(cost))
    sys.exit(code)


if __name__ == "__main__":
    main()

"""A moving picture of a command at a terminal: docs/pictures/demo.svg is made by it, of 'minicrawl demo'.

    python bench/film.py OUT.svg COMMAND [ARGUMENTS ...]

Runs the command at a terminal narrow enough to be read on a phone, and films the screen as it was drawn, pauses of more
than a second cut short. The film runs once and stays at its end, which is all that is shown where less motion is asked
for. It is light or dark as the page around it.
"""

import fcntl
import os
import pty
import re
import shlex
import struct
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby, pairwise
from pathlib import Path

from rich.text import Text

COLUMNS, ROWS = 66, 30
WIDTH, _HEIGHT, _MARGIN = 8.4, 18, 12
"""Of a character, and around all of them."""
_LONGEST = 1.0
"""Seconds for which a screen is shown, before the next one comes."""
_ERASED = re.compile(r"\r(?:\x1b\[(\d+)A)?\x1b\[J")
"""How the live display takes itself back: so many lines above the last."""
_CLASSES = {"dim": "d", "bold": "b", "color(1)": "r", "color(2)": "g", "color(3)": "y"}
_STYLE = """
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #24292f }
rect { fill: #f6f8fa; stroke: #d0d7de }
.d { fill: #57606a } .b { font-weight: bold } .g { fill: #116329 } .y { fill: #7d4e00 } .r { fill: #a40e26 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } rect { fill: #161b22; stroke: #30363d }
.d { fill: #9198a1 } .g { fill: #56d364 } .y { fill: #e3b341 } .r { fill: #ff7b72 }
}
"""


def recorded(command: Sequence[str]) -> list[tuple[float, str]]:
    """What a command writes to a terminal, in pieces with their seconds."""
    process, terminal = pty.fork()
    if process == 0:
        os.execvpe(command[0], list(command), {**os.environ, "TERM": "xterm-256color"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    began, pieces = time.monotonic(), []
    while piece := _read(terminal):
        pieces.append((time.monotonic() - began, piece.decode("utf-8", "replace")))
    if os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]):
        raise SystemExit(f"the command failed: {pieces[-1:]}")
    return pieces


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the command has ended
        return b""


def screens(pieces: Sequence[tuple[float, str]], first: str) -> Iterator[tuple[float, tuple[str, ...]]]:
    """The last lines of the terminal after each piece, with their style codes, below a first line."""
    lines = [first, ""]
    for second, piece in pieces:
        for part in re.split(r"(\r(?:\x1b\[\d+A)?\x1b\[J)", piece):
            if erased := _ERASED.fullmatch(part):
                del lines[len(lines) - 1 - int(erased[1] or 0) :]
                lines.append("")
            else:
                head, *rest = part.replace("\r\n", "\n").split("\n")
                lines[-1] += head
                lines += rest
        shown = [row for line in lines for row in wrapped(line)]
        yield second, tuple(shown[-ROWS:])


def wrapped(line: str) -> list[str]:
    """A line as the terminal breaks it. Only lines without style codes are ever too long."""
    if "\x1b" in line:
        return [line]
    return [line[start : start + COLUMNS] for start in range(0, max(len(line), 1), COLUMNS)]


def drawn(line: str) -> str:
    """A line's runs of one style, each at its column."""
    text = Text.from_ansi(line)
    styles = [""] * len(text.plain)
    for span in text.spans:
        names = [_CLASSES[word] for word in str(span.style).split() if word in _CLASSES]
        styles[span.start : span.end] = [" ".join(names)] * (span.end - span.start)
    runs, column = [], 0
    for style, characters in groupby(zip(styles, text.plain, strict=True), key=lambda one: one[0]):
        run = "".join(character for _, character in characters)
        named = f' class="{style}"' if style else ""
        for words in re.finditer(r"\S+(?: \S+)*", run):  # as pictures show no two spaces
            place = f'x="{(column + words.start()) * WIDTH:.1f}" textLength="{len(words[0]) * WIDTH:.1f}"'
            runs.append(f"<tspan {place}{named}>{escape(words[0], quote=False)}</tspan>")
        column += len(run)
    return "".join(runs)


def film(shown: Sequence[tuple[float, tuple[str, ...]]], title: str) -> str:
    """The screens below one another, of which one at a time is seen."""
    waits = [min(after - before, _LONGEST) for (before, _), (after, _) in pairwise(shown)]
    seconds = sum(waits)
    wide, high = COLUMNS * WIDTH + 2 * _MARGIN, ROWS * _HEIGHT + 2 * _MARGIN
    names: dict[str, str] = {}
    frames, keys, at = [], [], 0.0
    for number, (_, lines) in enumerate(shown):
        uses = []
        for row, line in enumerate(drawn(line) for line in lines):
            if line:
                name = names.setdefault(line, f"l{len(names)}")
                uses.append(f'<use href="#{name}" y="{number * high + row * _HEIGHT + 14:.0f}"/>')
        frames.append("".join(uses))
        keys.append(f"{100 * at / seconds:.2f}% {{ transform: translateY({-number * high:.0f}px) }}")
        at += waits[number] if number < len(waits) else 0.0
    end = f"translateY({-(len(shown) - 1) * high:.0f}px)"
    moving = f"""#film {{ transform: {end} }}
@keyframes film {{ {" ".join(keys)} }}
@media (prefers-reduced-motion: no-preference) {{ #film {{ animation: film {seconds:.1f}s step-end 1 }} }}
"""
    texts = "\n".join(f'<text id="{name}">{line}</text>' for line, name in names.items())
    rows = "\n".join(frames)
    box = f'width="{wide:.0f}" height="{high}" viewBox="0 0 {wide:.0f} {high}"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" {box} role="img">
<title>{escape(title)}</title>
<style>{_STYLE}{moving}</style>
<defs>
{texts}
</defs>
<rect x=".5" y=".5" width="{wide - 1:.0f}" height="{high - 1}" rx="6"/>
<svg x="{_MARGIN}" y="{_MARGIN}" width="{wide - 2 * _MARGIN:.0f}" height="{high - 2 * _MARGIN}"><g id="film">
{rows}
</g></svg>
</svg>
"""


def main() -> None:
    out, *command = sys.argv[1:]
    asked = shlex.join(command)
    shown = list(screens(recorded(command), f"\x1b[2m$\x1b[0m \x1b[1m{asked}\x1b[0m"))
    picture = film([(0.0, (f"\x1b[2m$\x1b[0m \x1b[1m{asked}\x1b[0m",)), *shown], f"{asked}, at a terminal")
    Path(out).write_text(picture, "utf-8")
    print(f"{out}: {len(shown)} screens, {len(picture.encode()) / 1000:.0f} kB")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: python bench/film.py OUT.svg COMMAND [ARGUMENTS ...]")
    main()

"""Front pages: what a server shows for a folder, and the names that it has besides the folder's own.

A URL is that of a front page by its name if it has no query and the last segment of its path is empty, or index or
default with any ending (index.html, index.en.html, Default.aspx). Whether two names show the same page only their
contents tell.
"""

FRONT_PAGES = ("index.html", "index.htm", "index.php")
"""The most common names of a front page, under which one that is known may be found."""
_NAMED = ("index.", "default.", "Default.")
"""Beginnings of the names that servers look for: IIS in any case, and it is mostly written like this."""


def folder_and_name(url: str) -> tuple[str, str]:
    """The folder of a page with a slash at its end, and what follows it, the query included."""
    at = url.partition("?")[0].rindex("/") + 1
    return url[:at], url[at:]


def is_front_page(url: str) -> bool:
    """True if a normalised URL is by its name that of the front page of its folder."""
    stem, _, query = url.partition("?")
    return not query and (stem.endswith("/") or front_name(stem) != "")


def front_name(stem: str) -> str:
    """The last segment of a URL or path without query, if it is the name of a front page; else ""."""
    name = stem[stem.rfind("/") + 1 :]
    return name if name.startswith(_NAMED) else ""


def is_home(url: str) -> bool:
    """True for the normalised URL of a host's front page, under the host's own name alone: another name may be that of
    another page, and if it is not, it stands for this one."""
    return url.find("/", 8) == len(url) - 1


def is_above(url: str, folder: str) -> bool:
    """True if a page is by its name, whatever its query, the front page of a folder or of one above, also without the
    slash at its end."""
    stem = url.partition("?")[0]
    stem = folder_and_name(stem)[0] if is_front_page(stem) else stem
    return folder.startswith(stem) and "/" in (stem[-1], folder[len(stem) : len(stem) + 1])

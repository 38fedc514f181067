"""Front pages: what a server shows for a folder, and the names that it has besides the folder's own.

A URL is that of a front page by its name if it has no query and the last segment of its path is empty, or index with
any ending (index.html, index.en.html, index.aspx). Whether two names show the same page only their contents tell.
"""

from minicrawl.web.urls.keys import without_www

FRONT_PAGES = ("index.html", "index.htm", "index.php")
"""The most common names of a front page, under which one that is known may be found."""


def folder_and_name(url: str) -> tuple[str, str]:
    """The folder of a page with a slash at its end, and what follows it, the query included."""
    at = url.partition("?")[0].rindex("/") + 1
    return url[:at], url[at:]


def is_front_page(url: str) -> bool:
    """True if a normalised URL is by its name that of the front page of its folder."""
    name, _, query = folder_and_name(url)[1].partition("?")
    return not query and (not name or name.startswith("index."))


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


def other_names(url: str) -> list[str]:
    """URLs under which a site may show the page at a normalised URL once more: as the front page of its folder, by the
    other scheme, and with or without www.

    http://a.test/b/index.html may be http://a.test/b/ and https://www.a.test/b/, too.
    """
    folder, name = folder_and_name(url)
    scheme, divider, rest = folder.partition("://")
    bare = without_www(rest)
    folders = [f"{by}{divider}{www}{bare}" for by in ("http", "https") for www in ("", "www.")]
    if ":" in bare.partition("/")[0]:  # a port is of one scheme
        folders = [f"{scheme}{divider}{www}{bare}" for www in ("", "www.")]
    fronts = ("", "?", *FRONT_PAGES, *(f"{front}?" for front in FRONT_PAGES))
    names = dict.fromkeys((name, *fronts))
    return [other for folder in folders for other in map(folder.__add__, names) if other != url]

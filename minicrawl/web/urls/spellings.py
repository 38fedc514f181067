"""Other spellings of a URL, which most servers answer with the same page. Whether one does only the contents tell.

difference  simpler                          than
?           /a                               /a?               an empty query
/           /a                               /a/               the last slash of a path
case        /a/b                             /A/b              capitals in the path; escapes stay
.           http://a.test/                   http://a.test./   the dot behind a host (RFC 1034 3.1)
www.        http://a.test/                   http://www.a.test/, and this than http://www.www.a.test/
order       /?a=1&b=2                        /?b=2&a=1         parameters, by their names
front       /a/                              /a/index.html     the name of a front page, see front.py
"""

import re

from minicrawl.web.urls.front import FRONT_PAGES, folder_and_name, front_name
from minicrawl.web.urls.keys import authority, without_dot, without_www
from minicrawl.web.urls.normalise import normalise

_OF_HOST = {".", "www."}
_CAPITALS = re.compile("%[0-9A-Fa-f]{2}|[A-Z]+")


def spellings(url: str) -> dict[str, str]:
    """By the name of a difference, the URL that is simpler than a normalised one by this alone; all are normalised. Of
    two paths that differ by a slash at the end, the one without it is the simpler."""
    scheme, _, rest = url.partition("://")
    host, _, rest = rest.partition("/")
    stem, mark, query = rest.partition("?")
    origin, path = f"{scheme}://{host}", f"/{stem}"
    others = {
        "?": url[:-1] if mark and not query else url,
        "/": f"{origin}{path[:-1]}{mark}{query}" if path.endswith("/") and path != "/" else url,
        "case": f"{origin}{_CAPITALS.sub(_in_small_letters, path)}{mark}{query}",
        ".": f"{scheme}://{without_dot(host)}/{rest}",
        "www.": f"{scheme}://{host.removeprefix('www.')}/{rest}",
        "order": f"{origin}{path}{mark}{'&'.join(sorted(query.split('&'), key=_parameter))}",
        "front": f"{origin}{path.removesuffix(front_name(path))}{mark}{query}",
    }
    found = {difference: other for difference, other in others.items() if other != url}
    for difference in _OF_HOST & found.keys():
        if normalise(found[difference]) != found[difference]:  # as of "www." alone
            del found[difference]
    return found


def simplest(url: str) -> str:
    """The simplest spelling of a normalised URL. Idempotent."""
    while others := spellings(url):
        url = next(iter(others.values()))
    return url


def differ_by_spelling(one: str, other: str) -> bool:
    """True if two normalised URLs are one but for their spelling, and http or https: a port is of one scheme."""
    one, other = simplest(one), simplest(other)
    return one == other or (":" not in authority(one) and one.partition("://")[2] == other.partition("://")[2])


def other_names(url: str) -> list[str]:
    """URLs under which a site may show the page at a normalised URL once more, and which can be looked up: as the front
    page of its folder, by the other scheme, with and without www., and in simpler spellings.

    http://a.test/b/index.html may be http://a.test/b/ and https://www.a.test/b/, too.
    """
    folder, name = folder_and_name(url)
    scheme, divider, rest = folder.partition("://")
    host, slash, path = rest.partition("/")
    host = without_www(host)
    schemes = [scheme] if ":" in host else ["http", "https"]  # a port is of one scheme
    folders = [f"{by}{divider}{www}{host}{slash}{path}" for by in schemes for www in ("", "www.")]
    fronts = ("", "?", *FRONT_PAGES, *(f"{front}?" for front in FRONT_PAGES))
    names = dict.fromkeys((name, *fronts))
    looked_up = [*(folder + each for folder in folders for each in names), *spellings(url).values()]
    return [other for other in dict.fromkeys(looked_up) if other != url]


def _in_small_letters(found: re.Match[str]) -> str:
    return found[0] if found[0][0] == "%" else found[0].lower()


def _parameter(part: str) -> str:
    return part.partition("=")[0]

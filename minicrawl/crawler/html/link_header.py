"""What the header field Link of an answer says (RFC 8288): of its targets only the canonical ones matter here."""

import re

from minicrawl.crawler.urls.normalise import normalise

# RFC 8288, section 3: <target>; name=value; name="value", <target> ...
_TARGET = re.compile(r"[,\s]*<([^>]*)>")
_PARAMETER = re.compile(r"""\s*;\s*([^\s;,=]*)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^\s;,]*))?""")


def canonicals(value: str, url: str) -> list[str]:
    """The distinct normalised URLs that a value of Link, from an answer for the normalised `url`, gives as canonical.

    What stands behind something that is no link is not read.
    """
    found: dict[str, None] = {}
    at = 0
    while (target := _TARGET.match(value, at)) is not None:
        at = target.end()
        parameters: dict[str, str] = {}
        while (parameter := _PARAMETER.match(value, at)) is not None:
            at = parameter.end()
            # Section 3.3: of several parameters rel the first one counts. A link with an anchor is one of another page.
            parameters.setdefault(parameter[1].lower(), (parameter[2] or "").strip('"'))
        if "canonical" in parameters.get("rel", "").lower().split() and "anchor" not in parameters:
            named = normalise(target[1], url)
            if named is not None:
                found[named] = None
    return list(found)

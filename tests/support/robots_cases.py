"""Rules of robots.txt: a table by section of RFC 9309, and a slow reading of rules, character after character."""

import re

US = "minicrawl/1.0 (+https://example.org/)"
ORIGIN = "https://h.test"

SIMPLE = """
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""
LONGEST = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif"


def all_agents(*rules: str) -> str:
    return "\n".join(["user-agent: *", *rules])


A = "User-agent: minicrawl\nDisallow: /a"
B = "User-agent: otherbot\nDisallow: /b"
STAR = "User-agent: *\nDisallow: /s"

CASES = [
    ("2.1 empty file", "", US, "/a", True),
    ("2.1 rule before any group is ignored", f"Disallow: /x\n{STAR}", US, "/x", True),
    ("2.1 comments", "# hello\nUser-agent: * # all\nDisallow: /a # not this\n#Disallow: /b", US, "/a", False),
    ("2.1 comment hides a rule", "User-agent: *\n#Disallow: /b", US, "/b", True),
    ("2.1 white space around", " \tUser-agent \t:\t * \n  Disallow\t: /a  ", US, "/ab", False),
    ("2.1 no space", "user-agent:*\ndisallow:/a", US, "/a", False),
    ("2.1 blank lines do not end a group", "User-agent: *\n\n\nDisallow: /a", US, "/a", False),
    ("2.1 blank line between agents", "User-agent: minicrawl\n\nUser-agent: x\nDisallow: /a", US, "/a", False),
    ("2.1 field names in any case", "USER-AGENT: *\nDISALLOW: /\nALLOW: /a", US, "/a", True),
    ("2.1 LF", "User-agent: *\nDisallow: /a\nDisallow: /b", US, "/b", False),
    ("2.1 CR", "User-agent: *\rDisallow: /a\rDisallow: /b", US, "/b", False),
    ("2.1 CRLF", "User-agent: *\r\nDisallow: /a\r\nDisallow: /b", US, "/b", False),
    ("2.1 CRLF leaves no CR", "User-agent: *\r\nDisallow: /a\r\nDisallow: /b", US, "/axyz", False),
    ("2.1 no line end at the end", "User-agent: *\nDisallow: /a", US, "/a", False),
    ("2.1 only CR and LF end lines", "User-agent: *\nDisallow: /a\u2028\x85\x0b\x0cb\n", US, "/ac", True),
    ("2.1 empty lines of any kind", "User-agent: *\r\n\r\n\n\r\rDisallow: /a", US, "/a", False),
    ("2.1 a rule ends the list of agents", "User-agent: x\nDisallow: /a\nUser-agent: *", US, "/a", True),
    ("2.1 so does an empty one", "User-agent: x\nDisallow:\nUser-agent: *\nDisallow: /a", "x", "/a", True),
    ("2.2 white space within a path", all_agents("Disallow: /a b"), US, "/a%20b", False),
    ("2.2 the first colon ends the name", all_agents("Disallow: /a:b"), US, "/a:b", False),
    ("2.2 a name that only starts like one", all_agents("Disallowed: /a"), US, "/a", True),
    ("2.2 no name", all_agents(": /a"), US, "/a", True),
    ("2.2 one word", all_agents("Disallow/"), US, "/a", True),
    ("2.2 a line without sense is skipped", "User-agent: *\n<html>\n???\nDisallow: /a", US, "/a", False),
    ("2.2.1 our group", f"{A}\n{B}\n{STAR}", US, "/a", False),
    ("2.2.1 our group only", f"{A}\n{B}\n{STAR}", US, "/s", True),
    ("2.2.1 our group not another's", f"{A}\n{B}\n{STAR}", US, "/b", True),
    ("2.2.1 any order", f"{STAR}\n{B}\n{A}", US, "/s", True),
    ("2.2.1 star if there is no group of ours", f"{B}\n{STAR}", US, "/s", False),
    ("2.2.1 star group's rules only", f"{B}\n{STAR}", US, "/b", True),
    ("2.2.1 no group at all", B, US, "/b", True),
    ("2.2.1 token in any case", "User-agent: MiniCrawl\nDisallow: /a", US, "/a", False),
    ("2.2.1 agent in any case", A, "MINICRAWL/2", "/a", False),
    ("2.2.1 groups of one agent merge", f"{A}\n{B}\nUser-agent: minicrawl\nDisallow: /c", US, "/c", False),
    ("2.2.1 merged groups keep the first", f"{A}\n{B}\nUser-agent: minicrawl\nDisallow: /c", US, "/a", False),
    ("2.2.1 star groups merge", f"{STAR}\n{B}\nUser-agent: *\nDisallow: /c", US, "/s", False),
    ("2.2.1 agents share a group", "User-agent: x\nUser-agent: minicrawl\nDisallow: /a", US, "/a", False),
    ("2.2.1 agents share, star too", "User-agent: minicrawl\nUser-agent: *\nDisallow: /a", "y", "/a", False),
    ("2.2.1 an agent named twice", "User-agent: minicrawl\nUser-agent: MINICRAWL\nDisallow: /a", US, "/a", False),
    ("2.2.1 own group without match, star with", f"{A}\nUser-agent: *\nDisallow: /", US, "/b", True),
    ("2.2.1 a list of agents is one", "User-agent: x, minicrawl\nDisallow: /a", US, "/a", True),
    ("2.2.1 an agent without name", "User-agent:\nDisallow: /a", US, "/a", True),
    ("2.2.1 star with more is nobody", "User-agent: *bot\nDisallow: /a", US, "/a", True),
    ("2.2.1 a beginning is another robot", "User-agent: mini\nDisallow: /a", US, "/a", True),
    ("2.2.1 a beginning does not hide star", f"{STAR}\nUser-agent: mini\nDisallow:", US, "/s", False),
    ("2.2.1 a longer name is another robot", "User-agent: minicrawler\nDisallow: /a", US, "/a", True),
    ("2.2.1 an ending is another robot", "User-agent: crawl\nDisallow: /a", US, "/a", True),
    ("2.2.2 a path starts with a slash", all_agents("Disallow: a", "Disallow: h.test/a"), US, "/a", True),
    ("2.2.2 a URL is no path", all_agents("Disallow: https://h.test/a"), US, "/a", True),
    ("2.2.2 prefix", all_agents("Disallow: /a"), US, "/abc/d?e", False),
    ("2.2.2 first octet of the path", all_agents("Disallow: /b"), US, "/a/b", True),
    ("2.2.2 case matters", all_agents("Disallow: /Private"), US, "/private", True),
    ("2.2.2 nothing matches", all_agents("Disallow: /a"), US, "/b", True),
    ("2.2.2 query", all_agents("Disallow: /foo/bar?baz=quz"), US, "/foo/bar?baz=quz", False),
    ("2.2.2 another query", all_agents("Disallow: /foo/bar?baz=quz"), US, "/foo/bar?baz=x", True),
    ("2.2.2 longest match disallows", all_agents("Allow: /a", "Disallow: /a/b"), US, "/a/b/c", False),
    ("2.2.2 longest match allows", all_agents("Disallow: /a", "Allow: /a/b"), US, "/a/b/c", True),
    ("2.2.2 longest match in any order", all_agents("Allow: /a/b", "Disallow: /a"), US, "/a/c", False),
    ("2.2.2 allow wins a tie", all_agents("Disallow: /a", "Allow: /a"), US, "/a", True),
    ("2.2.2 allow wins a tie in any order", all_agents("Allow: /a", "Disallow: /a"), US, "/a", True),
    ("2.2.2 empty disallow allows all", all_agents("Disallow:"), US, "/", True),
    ("2.2.2 empty disallow of ours", f"{STAR}\nUser-agent: minicrawl\nDisallow:", US, "/s", True),
    ("2.2.2 a group without rules allows all", f"{STAR}\nUser-agent: minicrawl", US, "/s", True),
    ("2.2.2 empty allow is not a rule", all_agents("Disallow: /", "Allow:"), US, "/", False),
    ("2.2.2 the root", all_agents("Disallow: /"), US, "/", False),
    ("2.2.2 robots.txt is always allowed", all_agents("Disallow: /"), US, "/robots.txt", True),
    ("2.2.2 encoded slash colon", all_agents("Disallow: /x?u=https://foo.bar"), US, "/x?u=https://foo.bar", False),
    ("2.2.2 raw rule, encoded URL", all_agents("Disallow: /foo/bar/ツ"), US, "/foo/bar/%E3%83%84", False),
    ("2.2.2 encoded rule and URL", all_agents("Disallow: /foo/bar/%E3%83%84"), US, "/foo/bar/%E3%83%84", False),
    ("2.2.2 encoded rule, raw URL", all_agents("Disallow: /foo/bar/%E3%83%84"), US, "/foo/bar/ツ", False),
    ("2.2.2 encoded in lower case", all_agents("Disallow: /foo/bar/%e3%83%84"), US, "/foo/bar/%E3%83%84", False),
    ("2.2.2 needless encoding in rule", all_agents("Disallow: /foo/bar/%62%61%7A"), US, "/foo/bar/baz", False),
    ("2.2.2 needless encoding in URL", all_agents("Disallow: /foo/bar/baz"), US, "/foo/bar/%62%61%7A", False),
    ("2.2.2 octets of the longest match", all_agents("Disallow: /ü", "Allow: /****"), US, "/ü", False),
    ("2.2.2 stars count as octets", all_agents("Allow: /a", "Disallow: /*"), US, "/ab", True),
    ("2.2.2 more stars count more", all_agents("Allow: /a", "Disallow: /**"), US, "/ab", False),
    ("2.2.2 dollar counts as an octet", all_agents("Allow: /a", "Disallow: /a$"), US, "/a", False),
    ("2.2.2 allow wins a tie of other patterns", all_agents("Disallow: /*b", "Allow: /ab"), US, "/ab", True),
    ("2.2.2 allow with star wins a tie", all_agents("Disallow: /ab", "Allow: /*b"), US, "/ab", True),
    ("2.2.2 allow wins a tie of stars", all_agents("Disallow: /*b", "Allow: /a*"), US, "/ab", True),
    ("2.2.2 equivalent rules", all_agents("Disallow: /%61", "Allow: /a", "Disallow: /a"), US, "/a", True),
    ("2.2.2 equivalent rules with a star", all_agents("Allow: /*b", "Disallow: /*b"), US, "/ab", True),
    ("2.2.2 a rule is as long as it is", all_agents("Disallow: /a", "Disallow: /longer", "Allow: /*a"), US, "/a", True),
    ("2.2.2 needless encoding of ~", all_agents("Disallow: /%7Eu"), US, "/~u", False),
    ("2.2.2 ~ needlessly encoded", all_agents("Disallow: /~u"), US, "/%7eu", False),
    ("2.2.2 a space is encoded", all_agents("Disallow: /a%20b"), US, "/a%20b", False),
    ("2.2.2 neither reserved nor unreserved", all_agents("Disallow: /a|b^"), US, "/a%7cb%5E", False),
    ("2.2.2 no UTF-8", all_agents("Disallow: /%ff"), US, "/%FF", False),
    ("2.2.2 a % that escapes nothing", all_agents("Disallow: /100%"), US, "/100%?x", False),
    ("2.2.2 a % that escapes nothing is no %25", all_agents("Disallow: /100%25"), US, "/100%", True),
    ("2.2.2 reserved in lower case", all_agents("Disallow: /a%2fb"), US, "/a%2Fb", False),
    ("2.2.2 reserved characters of a query", all_agents("Disallow: /x?u=a://b"), US, "/x?u=a%3A%2F%2Fb", True),
    ("2.2.2 slash is no %2F", all_agents("Disallow: /a%2Fb"), US, "/a/b", True),
    ("2.2.2 no path", all_agents("Disallow: /"), US, "", False),
    ("2.2.2 no path but a query", all_agents("Disallow: /?a"), US, "?a", False),
    ("2.2.2 a fragment does not count", all_agents("Disallow: /a$"), US, "/a#b", False),
    ("2.2.2 robots.txt itself is more than its path", all_agents("Disallow: /"), US, "/robots.txt?x", False),
    ("2.2.2 robots.txt elsewhere", all_agents("Disallow: /"), US, "/a/robots.txt", False),
    ("2.2.2 index.html is not /", all_agents("Disallow: /", "Allow: /index.html"), US, "/", False),
    ("2.2.2 %2F is no slash", all_agents("Disallow: /a/b"), US, "/a%2Fb", True),
    ("2.2.3 star", all_agents("Disallow: /a*b"), US, "/axxb/c", False),
    ("2.2.3 star stands for nothing too", all_agents("Disallow: /a*b"), US, "/ab", False),
    ("2.2.3 star needs the rest", all_agents("Disallow: /a*b"), US, "/axx", True),
    ("2.2.3 star at the end", all_agents("Disallow: /a*"), US, "/a", False),
    ("2.2.3 stars", all_agents("Disallow: /*/b/*.php"), US, "/x/b/y.php?z", False),
    ("2.2.3 star first", all_agents("Disallow: *.gif"), US, "/x/y.gif", False),
    ("2.2.3 dollar", all_agents("Disallow: /*.gif$"), US, "/x.gif", False),
    ("2.2.3 dollar ends the match", all_agents("Disallow: /*.gif$"), US, "/x.gif?y", True),
    ("2.2.3 dollar behind the path", all_agents("Disallow: /a$"), US, "/ab", True),
    ("2.2.3 dollar and repeated ending", all_agents("Disallow: /*a$"), US, "/aba", False),
    ("2.2.3 the root alone", all_agents("Disallow: /$"), US, "/", False),
    ("2.2.3 not only the root", all_agents("Disallow: /$"), US, "/a", True),
    ("2.2.3 dollar inside is a dollar", all_agents("Disallow: /a$b"), US, "/a$bc", False),
    ("2.2.3 literal star", all_agents("Disallow: /file-%2A.html"), US, "/file-*.html", False),
    ("2.2.3 literal star matches no more", all_agents("Disallow: /file-%2A.html"), US, "/file-x.html", True),
    ("2.2.3 literal dollar", all_agents("Disallow: /foo-%24"), US, "/foo-$bar", False),
    ("2.2.3 dollar inside, escaped in the URL", all_agents("Disallow: /a$b"), US, "/a%24b", False),
    ("2.2.3 a dollar at the end is no dollar", all_agents("Disallow: /x$"), US, "/x$y", True),
    ("2.2.3 of two dollars one is a dollar", all_agents("Disallow: /x$$"), US, "/x$", False),
    ("2.2.3 a star that is a star in the URL", all_agents("Disallow: /a%2Ab"), US, "/a%2ab", False),
    ("2.2.3 star before dollar", all_agents("Disallow: /a*$"), US, "/abc", False),
    ("2.2.3 stars in a row", all_agents("Disallow: /a***b"), US, "/axb", False),
    ("2.2.3 star alone", all_agents("Disallow: *"), US, "/a", False),
    ("2.2.3 dollar alone", all_agents("Disallow: $"), US, "/", True),
    ("2.2.3 star reaches into the query", all_agents("Disallow: /*x="), US, "/a/b?x=1", False),
    ("2.2.3 stars take turns", all_agents("Disallow: /*a*b*a$"), US, "/aaba", False),
    ("2.2.3 parts do not overlap", all_agents("Disallow: /*aba*aba$"), US, "/ababa", True),
    ("2.2.3 the last part may be the beginning", all_agents("Disallow: /a*/a$"), US, "/a", True),
    ("2.2.3 # starts a comment", all_agents("Disallow: /a#b"), US, "/ac", False),
    ("2.2.4 sitemap within a group", "User-agent: *\nSitemap: https://h.test/s\nDisallow: /a", US, "/a", False),
    ("2.2.4 unknown record among rules", "User-agent: *\nfoo: bar\nDisallow: /a", US, "/a", False),
    *(
        (f"2.2.4 {line} between agents", f"User-agent: minicrawl\n{line}\nUser-agent: x\nDisallow: /a", US, "/a", False)
        for line in ("Sitemap: /s", "Crawl-delay: 5", "foo: bar")
    ),
    ("Google: part of a byte order mark", b"\xef\xbbUser-agent: *\nDisallow: /a", US, "/a", False),
    ("Google: blank for the colon", "User-agent *\ndisallow\t /a", US, "/a", False),
    ("Google: but not among three words", all_agents("Disallow /a b"), US, "/a", True),
    ("Google: a line ends at NUL", all_agents("Disallow: /a\0b"), US, "/a", False),
    ("Google: version behind the token", "User-agent: minicrawl/2.0 x\nDisallow: /a", US, "/a", False),
    ("Google: words behind star", "User-agent: * all\nDisallow: /a", US, "/a", False),
    *((f"Google: {name}", f"{name}: *\nDisallow: /a", US, "/a", False) for name in ("useragent", "User Agent")),
    *(
        (f"Google: {name}", all_agents(f"{name}: /a"), US, "/a", False)
        for name in ("Dissallow", "dissalow", "disalow", "diasllow", "disallaw")
    ),
    ("2.3 byte order mark", "\ufeffUser-agent: *\nDisallow: /a", US, "/a", False),
    ("5.1 star /example/", SIMPLE, "otherbot", "/example/x", False),
    ("5.1 star gif", SIMPLE, "otherbot", "/x.gif", False),
    ("5.1 star gif with query", SIMPLE, "otherbot", "/x.gif?y", True),
    ("5.1 star /publications/", SIMPLE, "otherbot", "/publications/x", True),
    ("5.1 foobot", SIMPLE, "foobot", "/x", False),
    ("5.1 foobot page", SIMPLE, "foobot", "/example/page.html", True),
    ("5.1 foobot gif", SIMPLE, "foobot", "/example/allowed.gif", True),
    ("5.1 barbot", SIMPLE, "barbot", "/example/page.html", False),
    ("5.1 barbot else", SIMPLE, "barbot", "/example/x", True),
    ("5.1 bazbot", SIMPLE, "bazbot", "/example/page.html", False),
    ("5.1 quxbot", SIMPLE, "quxbot", "/example/page.html", True),
    ("5.2 allowed", LONGEST, "foobot", "/example/page/x", True),
    ("5.2 disallowed", LONGEST, "foobot", "/example/page/disallowed.gif", False),
]


UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
RESERVED = ":/?#[]@!$&'()*+,;="


def spelt(text: str) -> list[str]:
    """2.2.2, character after character."""
    found, place = [], 0
    while place < len(text):
        escape = re.compile("%([0-9A-Fa-f]{2})").match(text, place)
        octet = int(escape[1], 16) if escape else None
        if octet is not None:
            is_plain = chr(octet) in f"{UNRESERVED}*$"
            found.append(chr(octet) if is_plain else f"%{octet:02X}")
        elif text[place] in f"{UNRESERVED}{RESERVED}%":
            found.append(text[place])
        else:
            found += [f"%{octet:02X}" for octet in text[place].encode()]
        place += 3 if escape else 1
    return found


def slow_rule(path: str) -> tuple[int, re.Pattern[str]]:
    """Octets of a rule, and a regular expression for the URLs it matches (2.2.3)."""
    is_whole = path.endswith("$")
    parts = ["".join(spelt(part)) for part in path.removesuffix("$").split("*")]
    regex = ".*".join(map(re.escape, parts)) + (r"\Z" if is_whole else "")
    return sum(map(len, parts)) + len(parts) - 1 + is_whole, re.compile(regex)


def slowly_allows(rules: list[tuple[str, bool]], target: str) -> bool:
    octets = "".join(spelt(target))
    matches = [(0, True)]
    for path, is_allowed in rules:
        length, regex = slow_rule(path)
        if regex.match(octets):
            matches.append((length, is_allowed))
    return max(matches)[1]

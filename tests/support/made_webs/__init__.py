"""Made sites for what says "this URL says what that one says": each has a point, and twins that look alike.

| module | |
|---|---|
| `web` | what a made site is, its parts, and what a crawl of it has read |
| `lists` | archives, tags, calendars, paged lists: the ways to pages |
| `views` | one page under many URLs: sorted, filtered, printed, tagged, with a session; and what looks like that |
| `applications` | forums, wikis, shops, news and indexes as programs make them |
| `texts` | pages that say nearly the same, or say of themselves that they are not wanted, and are |
| `trackers` | trackers, forums and repositories, with hexadecimal and numbered names |
| `endless` | folders, hosts and months without end |
| `small` | sites of a page or three, and those that say one thing everywhere |
"""

from support.made_webs import applications, endless, lists, small, texts, trackers, views
from support.made_webs.web import MADE, OPEN, MadeWeb, Read, read_by_crawl

__all__ = ["MADE", "OPEN", "MadeWeb", "Read", "read_by_crawl"]
_MODULES = (applications, endless, lists, small, texts, trackers, views)  # each registers its sites

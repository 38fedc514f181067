"""Sites of a page or three, and those that say one thing everywhere."""

from support.made_webs.web import MadeWeb, document, links, links_to, made, to

_SHELL = '<!doctype html><title>App</title><body><div id="app"></div><script src="/app.js"></script>'


def _alone(web: MadeWeb, *others: str) -> None:
    """A front page with links to these pages alone, without a menu."""
    web.pages, web.wanted = {}, {"/", *others}
    for key in others:
        web.pages[key] = document(f"Page {key}", web.text(key), menu="")
    web.pages["/"] = document("Home", web.text("/") + links_to(others), menu="")


@made(10)
def no_link(web: MadeWeb) -> None:
    """One page."""
    _alone(web)


@made(10)
def one_link(web: MadeWeb) -> None:
    """Two pages."""
    _alone(web, "/only?page=1")


@made(15)
def three_links(web: MadeWeb) -> None:
    """Four pages, in three forms."""
    _alone(web, "/a", "/b?c=1", "/d/e/f.html")


@made()
def redirect_first(web: MadeWeb) -> None:
    """The front page leads to a language, and each old URL to a new one."""
    for page in range(40):
        web.add(f"/en/{page}", f"Page {page}", web.text(page) + links((f"/old.php?id={(page + 1) % 40}", "next")))
    web.add("/en/", "Welcome", web.text("welcome") + links(("/en/0", "first"), ("/old.php?id=20", "older")))
    leads = {"/": "/en/"} | {f"/old.php?id={page}": f"/en/{page}" for page in range(40)}
    web.respond = lambda key, times: to(leads[key]) if key in leads else None


@made(by_url=True)
def one_shell(web: MadeWeb) -> None:
    """Every URL is answered with the shell of a script; the front page has links for those who run none."""
    web.wanted = {f"/view/{name}" for name in ("start", "about", "team", "help")} | {f"/item/{n}" for n in range(30)}
    web.pages = {"/": _SHELL + links_to(sorted(web.wanted))}
    web.respond = lambda key, times: _SHELL


@made()
def dead_links_without_404(web: MadeWeb) -> None:
    """Each page has two links to what is gone, and the server says 200 to whatever it is asked for."""
    web.items(60, "/p/{}", "/old/{}", "/then/{}.html")
    web.respond = lambda key, times: document("Not found", "<p>We could not find what you asked for.</p>")

"""Made sites whose pages need scripts, or do not, each with its twin that is complete without: host h.test.

Words of a page are its own; what scripts show stands in `SHOWN`.
"""

import json

from support.rendered import HOST, Reply

Web = dict[str, Reply]
PAGES = 40


def own_words(name: str, number: int = 40) -> str:
    """Words that no other page has."""
    return " ".join(f"{name}word{at}" for at in range(number))


def linked(urls: list[str]) -> str:
    return "".join(f'<li><a href="{url}">{url.rpartition("/")[2]} of all</a></li>' for url in urls)


def _items(pages: int) -> list[str]:
    return [f"/item/i{number}" for number in range(pages)]


_MANNERS = """
const banner = document.createElement('aside'), pages = %d
banner.textContent = 'we and our partners set cookies on your device to show you what you like most or so we think'
document.body.append(banner)
const clock = document.createElement('p'), links = document.createElement('ul')
clock.textContent = new Date().toISOString()
for (let at = 0; at < 4; at++)
    links.innerHTML += `<li><a href="/item/i${Math.floor(Math.random() * pages)}">one of ours</a></li>`
document.body.append(clock, links)"""


def app(pages: int = PAGES) -> Web:
    """An application: every page is one shell."""
    texts = {"/": "welcome home", **{path: own_words(path[6:]) for path in _items(pages)}}
    code = f"""
const texts = {json.dumps(texts)}, path = location.pathname
const list = Object.keys(texts).map(to => `<li><a href="${{to}}">${{to}}</a></li>`).join('')
document.querySelector('main').innerHTML = `<h1>${{path}}</h1><p>${{texts[path]}}</p>` + (path === '/' ? list : '')"""
    shell = "<!doctype html><title>App</title><main></main><script src=/app.js></script>"
    return {**dict.fromkeys((f"{HOST}{path}" for path in texts), shell), f"{HOST}/app.js": ("text/javascript", code)}


def whole(pages: int = PAGES, words: int = 60) -> Web:
    """A site that is complete without scripts, which add a banner, a clock and random links to others of its pages;
    with few words its pages are suspects."""
    end = "<script src=/manners.js></script>"
    texts = {path: f"<title>{path}</title><h1>{path}</h1><p>{own_words(path[6:], words)}</p>" for path in _items(pages)}
    home = f"<title>Home</title><p>{own_words('home')}</p><ul>{linked(_items(pages))}</ul>{end}"
    code = ("text/javascript", _MANNERS % pages)
    items: Web = {f"{HOST}{path}": text + end for path, text in texts.items()}
    return {f"{HOST}/": home, **items, f"{HOST}/manners.js": code}


def half_list(pages: int = PAGES, plain: int = 10) -> Web:
    """A list of which a script adds all but the first pages, which are complete."""
    added = json.dumps(_items(pages)[plain:])
    code = f"for (const to of {added}) document.querySelector('ul').innerHTML += `<li><a href=${{to}}>${{to}}</a></li>`"
    site = whole(pages) | {f"{HOST}/manners.js": ("text/javascript", "1")}
    home = f"<title>Home</title><p>{own_words('home')}</p><ul>{linked(['/about', '/list'])}</ul>"
    listing = f"<p>{own_words('list')}</p><ul>{linked(_items(pages)[:plain])}</ul><script src=/list.js></script>"
    more: Web = {f"{HOST}/": home, f"{HOST}/about": f"<p>{own_words('about')}</p>", f"{HOST}/list": listing}
    return site | more | {f"{HOST}/list.js": ("text/javascript", code)}


def endless(pages: int = PAGES, at_once: int = 8) -> Web:
    """A list that a script goes on with when its end is near, and that drops what has left the window."""
    code = f"""
const list = document.querySelector('ul')
let asked = 0, height = 0
async function more() {{
    if (asked >= {pages} || scrollY + innerHeight < document.documentElement.scrollHeight - 200) return
    const from = asked
    asked += {at_once}
    for (const to of await (await fetch('/part?from=' + from)).json())
        list.insertAdjacentHTML('beforeend', `<li style="height: 150px"><a href="${{to}}">${{to}}</a></li>`)
    while (list.children.length > {2 * at_once}) {{
        list.firstChild.remove()
        list.style.paddingTop = (height += 150) + 'px'
    }}
    more()
}}
addEventListener('scroll', more)
more()"""
    home = "<!doctype html><title>Home</title><p>all that we have</p><ul></ul><script src=/list.js></script>"
    parts: Web = {
        f"{HOST}/part?from={at}": ("application/json", json.dumps(_items(pages)[at : at + at_once]))
        for at in range(0, pages, at_once)
    }
    items: Web = {f"{HOST}{path}": own_words(path[6:]) for path in _items(pages)}
    return {f"{HOST}/": home, **items, **parts, f"{HOST}/list.js": ("text/javascript", code)}


def boxed(pages: int = PAGES, row: int = 100) -> Web:
    """A list in a box of a page that is not scrolled itself, which has only the rows that the box shows; and a box of
    text, which asks for what does not come when it is scrolled."""
    code = f"""
const items = {json.dumps(_items(pages))}, [box, licence] = document.querySelectorAll('div')
const show = () => {{
    const first = Math.floor(box.scrollTop / {row}), rows = items.slice(first, first + 5)
    box.firstChild.innerHTML = rows.map((to, at) =>
        `<a href="${{to}}" style="position: absolute; top: ${{(first + at) * {row}}}px">${{to}}</a>`).join('')
}}
box.onscroll = show
licence.onscroll = () => fetch('/licence')
show()"""
    style = "<style>div { height: 300px; overflow: auto } section { position: relative }</style>"
    list_ = f"<div><section style='height: {row * pages}px'></section></div>"
    licence = f"<div><p style='height: 90000px'>{own_words('licence', 20)}</p></div>"
    home = f"<!doctype html><title>Home</title>{style}{list_}{licence}<script src=/list.js></script>"
    items: Web = {f"{HOST}{path}": own_words(path[6:]) for path in _items(pages)}
    return {f"{HOST}/": home, **items, f"{HOST}/list.js": ("text/javascript", code)}

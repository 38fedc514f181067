// Mithril: routes behind "#!", each shown once its words are there.
import m from 'mithril'

const links = ({ links }) => m('ul', links.map(([to, title]) => m('li', m(m.route.Link, { href: to }, title))))
const main = page => m('main', m('h1', page.title), m('p', page.text), links(page))
const onmatch = async ({ name }) => {
    const page = await m.request(`/data/${name || 'home'}.json`)
    return { view: () => main(page) }
}
m.route(document.getElementById('app'), '/', { '/': { onmatch }, '/:name...': { onmatch } })

import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export default () => {
    const [page, set] = useState()
    const name = location.pathname.slice(1) || 'home'
    useEffect(() => void fetch(`/data/${name}.json`).then(answer => answer.json()).then(set), [])
    const links = page?.links.map(([to, title]) => h('li', null, h('a', { href: to }, title)))
    return page && h('main', null, h('h1', null, page.title), h('p', null, page.text), h('ul', null, links))
}

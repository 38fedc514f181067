// React with a router: pages at paths, their words fetched.
import { createElement as h, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter, Link, Route, Routes, useParams } from 'react-router-dom'

const useData = url => {
    const [found, set] = useState()
    useEffect(() => void fetch(url).then(answer => answer.json()).then(set), [url])
    return found
}
const Links = ({ links = [] }) => h('ul', null, links.map(([to, title]) => h('li', { key: to }, h(Link, { to }, title))))
const Page = () => {
    const menu = useData('/data/menu.json'), page = useData(`/data/${useParams()['*'] || 'home'}.json`)
    return h('div', null, h(Links, menu), page && h('main', null, h('h1', null, page.title), h('p', null, page.text), h(Links, page)))
}
createRoot(document.getElementById('app')).render(
    h(BrowserRouter, null, h(Routes, null, h(Route, { path: '/*', element: h(Page) }))),
)

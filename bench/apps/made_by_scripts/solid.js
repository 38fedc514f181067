// Solid: pages at paths, without a document for each; links are followed by pushState.
import { createResource, createSignal, For, Show } from 'solid-js'
import html from 'solid-js/html'
import { render } from 'solid-js/web'

const [path, go] = createSignal(location.pathname)
const [page] = createResource(path, async at => (await fetch(`/data/${at.slice(1) || 'home'}.json`)).json())
addEventListener('popstate', () => go(location.pathname))
addEventListener('click', event => {
    const link = event.target.closest('a')
    if (!link) return
    event.preventDefault()
    history.pushState(null, '', link.href)
    go(location.pathname)
})
render(() => html`<${Show} when=${() => page()}><main><h1>${() => page().title}</h1><p>${() => page().text}</p><ul>
    <${For} each=${() => page().links}>${([to, title]) => html`<li><a href=${to}>${title}</a></li>`}<//>
</ul></main><//>`, document.getElementById('app'))

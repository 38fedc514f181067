// Lit: words and links in shadow roots, one in another.
import { html, LitElement } from 'lit'

class Links extends LitElement {
    static properties = { links: { attribute: false } }
    render = () => html`<ul>${this.links.map(([to, title]) => html`<li><a href=${to}>${title}</a></li>`)}</ul>`
}
class Page extends LitElement {
    static properties = { page: { state: true } }
    async connectedCallback() {
        super.connectedCallback()
        this.page = await (await fetch(`/data/${location.pathname.slice(1) || 'home'}.json`)).json()
    }
    render() {
        const { title, text, links } = this.page ?? {}
        return title && html`<main><h1>${title}</h1><p>${text}</p><plant-links .links=${links}></plant-links></main>`
    }
}
customElements.define('plant-links', Links)
customElements.define('plant-page', Page)
document.getElementById('app').append(document.createElement('plant-page'))

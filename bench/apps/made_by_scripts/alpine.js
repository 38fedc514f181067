// Alpine: a list on the front page that goes on when its end is scrolled into view.
import Alpine from 'alpinejs'
import intersect from '@alpinejs/intersect'

const read = async name => (await fetch(`/data/${name}.json`)).json()
Alpine.plugin(intersect)
Alpine.data('plants', () => ({
    page: { links: [] }, shown: [], next: 0,
    async init() {
        this.page = await read(location.pathname.slice(1) || 'home')
        this.shown = location.pathname === '/' ? [] : this.page.links
        await this.more()
    },
    async more() {
        if (location.pathname !== '/' || this.next >= this.page.links.length) return
        const [to, title] = this.page.links[this.next++]
        this.shown.push([to, title], ...(await read(to.slice(1))).links)
    },
}))
document.getElementById('app').innerHTML = `<main x-data=plants><h1 x-text=page.title></h1><p x-text=page.text></p>
    <ul><template x-for="[to, title] in shown"><li style="height: 9em"><a :href=to x-text=title></a></li></template></ul>
    <div x-intersect=more style="height: 1px"></div></main>`
Alpine.start()

// Vue with a router: pages at routes behind a "#", their words fetched.
import { createApp, h, ref, watchEffect } from 'vue'
import { createRouter, createWebHashHistory, RouterLink, RouterView, useRoute } from 'vue-router'

const links = ({ links }) => h('ul', links.map(([to, title]) => h('li', h(RouterLink, { to }, () => title))))
const Page = {
    setup() {
        const page = ref(), route = useRoute()
        watchEffect(async () => (page.value = await (await fetch(`/data/${route.path.slice(1) || 'home'}.json`)).json()))
        return () => page.value && h('main', [h('h1', page.value.title), h('p', page.value.text), links(page.value)])
    },
}
const router = createRouter({ history: createWebHashHistory(), routes: [{ path: '/:path(.*)', component: Page }] })
createApp({ render: () => h(RouterView) }).use(router).mount('#app')

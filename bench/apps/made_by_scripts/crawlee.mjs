// Crawlee's adaptive crawler: each page that it reads as a line of JSON.
import { AdaptivePlaywrightCrawler, Configuration } from 'crawlee'

const [url, executablePath] = process.argv.slice(2)
const crawler = new AdaptivePlaywrightCrawler({
    renderingTypeDetectionRatio: 0.1,
    maxRequestRetries: 1,
    launchContext: { launchOptions: { executablePath } },
    async requestHandler({ request, parseWithCheerio, enqueueLinks, waitForSelector, pushData }) {
        await waitForSelector('main a, main p', 5000).catch(() => undefined)
        const page = await parseWithCheerio()
        await pushData({ url: request.loadedUrl, content: page('body').text() })
        await enqueueLinks({ strategy: 'same-hostname' })
    },
}, new Configuration({ persistStorage: false, logLevel: 'ERROR' }))
await crawler.run([url])
for (const page of (await crawler.getData()).items) console.log(JSON.stringify(page))

// htmx: parts of HTML from the server, put into the page.
import htmx from 'htmx.org'

const name = location.pathname.slice(1) || 'home'
document.getElementById('app').innerHTML = `<main hx-get="/data/${name}.html" hx-trigger=load>Loading ...</main>`
htmx.process(document.body)

// jQuery: each page is a document, its words fetched by XMLHttpRequest.
import $ from 'jquery'

const name = location.pathname.slice(1) || 'home'
const main = $('<main>').append('<h1>', '<p>', '<ul>').appendTo('#app')
$.getJSON(`/data/${name}.json`).done(({ title, text, links }) => {
    main.find('h1').text(title)
    main.find('p').text(text)
    $.each(links, (_, [to, of]) => $('<li>').append($('<a>', { href: to, text: of })).appendTo(main.find('ul')))
})

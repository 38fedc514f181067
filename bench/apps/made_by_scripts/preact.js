// Preact: each page is a document, its words in a part of the program that is loaded later.
import { h, render } from 'preact'
import { lazy, Suspense } from 'preact/compat'

const Page = lazy(() => import('./preact.page.js'))
render(h(Suspense, { fallback: 'Loading ...' }, h(Page)), document.getElementById('app'))

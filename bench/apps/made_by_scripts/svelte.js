// Svelte: each page is a document, its words fetched.
import { mount } from 'svelte'
import App from './App.svelte'

mount(App, { target: document.getElementById('app') })

// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, set, symbol } from './dom.js'
import { readAlbums, readTags } from './library.js'
import { joined, term, terms } from './search-terms.js'
import { state } from './state.js'
import { t } from './words.js'

const mostSuggestions = 12
let fields = 0

const starsText = (value) => {
  const [first, last = first] = value.split('..').map(Number)
  if (!first && !last) return t('stars.none')
  return first < last && last === 5 ? t('stars.atLeast', { stars: '★'.repeat(first) }) : first === last ? '★'.repeat(first) : value
}

/** Returns a term in words: `camera:desk` becomes "Camera desk". */
function label({ text, key, value, isExcluded }) {
  const name = {
    tag: () => value, camera: () => t('pictures.camera', { id: value }), series: () => (state.camera(value) ? t('pictures.requested', { id: value }) : t('pictures.series', { id: value })),
    session: () => t('search.session', { id: value }), stage: () => t('search.stage', { id: value }), album: () => t('search.album', { title: value }),
    kind: () => (['still', 'session', 'clip', 'file'].includes(value) ? t(`search.kind.${value}`) : value), stars: () => (/^[0-5](\.\.[0-5])?$/.test(value) ? starsText(value) : value),
    day: () => value, after: () => t('search.after', { day: value }), before: () => t('search.before', { day: value }),
  }[key]
  const words = name ? name() : isExcluded ? text.slice(1) : text
  return isExcluded ? t('search.not', { words }) : words
}

/** All that can be suggested, with the filters first. */
async function allSuggestions() {
  const { cameras, series } = state.status
  const [tags, albums] = await Promise.all([readTags().catch(() => []), readAlbums().catch(() => [])])
  return [
    ...cameras.map(({ id }) => term('camera', id)), ...cameras.map(({ id }) => term('series', id)), ...series.map(({ id }) => term('series', id)),
    ...tags.map(({ tag }) => term('tag', tag)), ...albums.map(({ title }) => term('album', title)),
    ...[5, 4, 3, 2, 1].map((count) => `stars:${count}${count < 5 ? '..5' : ''}`), 'kind:session', 'kind:still', 'kind:clip', 'kind:file',
  ]
}

/** A field for a search, whose completed terms are chips. */
export class SearchField {
  #changed
  #terms = []
  #suggestions = null
  #shown = []
  #active = -1
  #isOpening = false
  #chips = h('span.chips', { role: 'group', 'aria-label': t('search.terms') })
  #list
  #input
  element

  /** @param {(query: string) => void} changed Is called with the search after each change by the user. */
  constructor(query, changed) {
    this.#changed = changed
    const id = `suggestions-${fields++}`
    this.#list = h('ul.suggestions', { role: 'listbox', id, hidden: true, 'aria-label': t('search.suggestions'), onpointerdown: (event) => event.preventDefault() })
    this.#input = h('input', {
      type: 'text', role: 'combobox', 'aria-label': t('search'), 'aria-expanded': 'false', 'aria-controls': id, 'aria-autocomplete': 'list', autocomplete: 'off',
      autocapitalize: 'none', spellcheck: 'false', enterkeyhint: 'search', placeholder: t('search'), maxlength: '400',
      oninput: () => this.#typed(), onfocus: () => this.#suggest(), onclick: () => this.#suggest(), onblur: () => this.#closeList(), onkeydown: (event) => this.#key(event),
    })
    this.element = h(
      'form.search', { role: 'search', onsubmit: (event) => { event.preventDefault(); this.#submit() } },
      symbol('search'), this.#chips, this.#input,
      h('button.plain.icon.clear', { type: 'button', 'aria-label': t('search.clear'), onclick: () => { this.#input.value = ''; this.#change([]) } }, symbol('close')), this.#list)
    this.query = query
  }

  /** Shows another search. */
  set query(query) {
    this.#terms = terms(query).map(({ text }) => text)
    fill(this.#chips, terms(query).map((one) => h(
      'button.chip', { type: 'button', 'data-term': one.text, title: one.text, 'aria-label': t('search.remove', { term: label(one) }), onclick: () => this.#remove(one.text) },
      h('span', {}, label(one)), symbol('close'))))
    this.element.classList.toggle('empty', !this.#terms.length)
  }

  #change(list) {
    const query = joined(list)
    this.query = query
    this.#changed(query)
  }

  #remove(text) {
    this.#change(this.#terms.filter((other) => other !== text))
    this.#input.focus()
  }

  #add(text) {
    this.#input.value = ''
    this.#closeList()
    this.#change([...this.#terms, ...terms(text).map((one) => (one.isOpen ? `${one.text}"` : one.text))])
  }

  /** A space completes a term, unless it is in a quoted text. */
  #typed() {
    const { value } = this.#input
    if (/\s$/.test(value) && value.trim() && !terms(value.trimEnd()).at(-1).isOpen) return this.#add(value)
    this.#suggest()
  }

  #submit() {
    if (this.#active >= 0) return this.#add(this.#shown[this.#active])
    if (this.#input.value.trim()) this.#add(this.#input.value)
    else this.#closeList()
  }

  #key(event) {
    if (event.isComposing) return
    if (event.key === 'Backspace' && !this.#input.value && this.#terms.length) {
      event.preventDefault()
      // The last chip becomes text again.
      this.#input.value = this.#terms.at(-1)
      return this.#change(this.#terms.slice(0, -1))
    }
    if (event.key === 'Escape' && !this.#list.hidden) {
      event.preventDefault()
      event.stopPropagation()
      return this.#closeList()
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    if (this.#list.hidden) return void this.#suggest()
    const count = this.#shown.length
    this.#active = this.#active < 0 && step < 0 ? count - 1 : (this.#active + step + count) % count
    this.#drawActive()
  }

  // --- Suggestions

  async #suggest() {
    this.#suggestions ??= allSuggestions()
    const { value } = this.#input
    this.#isOpening = true
    const all = await this.#suggestions
    // The user may have completed or left the term meanwhile.
    if (document.activeElement !== this.#input || !this.#isOpening || value !== this.#input.value) return
    const typed = this.#input.value.trim().toLowerCase()
    const isExcluded = typed.startsWith('-')
    const words = isExcluded ? typed.slice(1) : typed
    const found = all.map((text) => terms(isExcluded ? `-${text}` : text)[0])
      .filter((one) => !this.#terms.includes(one.text) && (one.text.toLowerCase().includes(words) || label(one).toLowerCase().includes(words)))
    this.#shown = found.slice(0, mostSuggestions).map(({ text }) => text)
    this.#active = -1
    fill(this.#list, found.slice(0, mostSuggestions).map((one, index) => h(
      'li', { role: 'option', id: `${this.#list.id}-${index}`, 'data-term': one.text, onclick: () => this.#add(one.text) },
      h('span', {}, label(one)), h('span.quiet', { 'aria-hidden': 'true' }, one.text))))
    this.#list.hidden = !this.#shown.length
    set(this.#input, { 'aria-expanded': String(this.#shown.length > 0), 'aria-activedescendant': null })
  }

  #drawActive() {
    ;[...this.#list.children].forEach((option, index) => set(option, { 'aria-selected': String(index === this.#active) }))
    this.#list.children[this.#active]?.scrollIntoView({ block: 'nearest' })
    set(this.#input, { 'aria-activedescendant': this.#active < 0 ? null : `${this.#list.id}-${this.#active}` })
  }

  #closeList() {
    this.#isOpening = false
    this.#list.hidden = true
    this.#active = -1
    // Tags may be new the next time.
    this.#suggestions = null
    set(this.#input, { 'aria-expanded': 'false', 'aria-activedescendant': null })
  }
}

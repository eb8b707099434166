// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, symbol } from './dom.js'
import { attempt, show } from './messages.js'
import { blobAddress, firstPicture, isTimeline, nameOf, readRecords, restoreRecord } from './record-data.js'
import { postCard } from './timeline.js'
import { state } from './state.js'
import { shortMomentText, t } from './words.js'

const [pageLength, longestPage] = [60, 200]
/** How long the user types before a search begins, in milliseconds. */
const typingPause = 250

/** The records of a kind, the one that changed last first; a kind with one picture and no name is a timeline. */
export class RecordList {
  #kind
  #isTrash
  #isTimeline
  #words = ''
  /** The next page; `null` if there is none. */
  #next = null
  /** The records that are shown, with their revisions. */
  #shown = ''
  /** Counts the readings: an earlier one that ends later is ignored. */
  #readings = 0
  #timer = null
  #events = new AbortController()
  #search = h('input', { type: 'search', 'aria-label': t('search'), placeholder: t('search'), maxlength: '400', autocomplete: 'off', enterkeyhint: 'search', oninput: () => this.#typed() })
  #form
  #list
  #status = h('p.quiet', { role: 'status' }, t('loading'))
  #new
  #first
  #more = h('button', { hidden: true, onclick: () => this.#read(this.#next) }, t('runs.more'))
  element

  constructor(kind, { isTrash = false } = {}) {
    this.#kind = kind
    this.#isTrash = isTrash
    this.#isTimeline = isTimeline(kind) && !isTrash
    this.#list = h(this.#isTimeline ? 'ol.timeline' : 'ul.records', { 'aria-label': kind.title })
    this.#form = h('form.search', { role: 'search', onsubmit: (event) => event.preventDefault() }, symbol('search'), this.#search)
    this.#new = this.#newLink('records.new', 'new-record')
    this.#first = this.#newLink('records.first', 'first-record')
    this.#first.hidden = true
    this.element = h('div.record-list', {}, this.#head(), this.#form, this.#list, this.#status, this.#first, this.#more)
    state.addEventListener('record', ({ detail }) => { if (detail.kind === kind.id) this.#readSoon() }, { signal: this.#events.signal })
    this.#read()
  }

  close() {
    this.#events.abort()
    clearTimeout(this.#timer)
  }

  #newLink(text, name) {
    return h('a.button.primary', { href: `#records/${this.#kind.id}/new`, 'data-name': name }, symbol('add'), t(text))
  }

  #head() {
    const { id, title } = this.#kind
    if (this.#isTrash) return h('div.row', {}, h('h2', {}, `${title}: ${t('trash')}`), h('a.button', { href: `#records/${id}` }, symbol('back'), t('records.all')))
    return h('div.row', {}, h('h2', {}, title), this.#new, h('a.button', { href: `#records/${id}/trash` }, symbol('remove'), t('trash')))
  }

  #typed() {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#words = this.#search.value.trim()
      this.#read()
    }, typingPause)
  }

  #readSoon() {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#read(), typingPause)
  }

  /** Reads the newest records, or a page after them. */
  async #read(before = null) {
    const reading = ++this.#readings
    await attempt(async () => {
      // After a change, all that is shown is read again.
      const limit = before ? pageLength : Math.min(longestPage, Math.max(pageLength, this.#list.childElementCount))
      const query = { q: this.#words, before, limit, trash: this.#isTrash ? 1 : null }
      const { records, next } = await readRecords(this.#kind.id, query)
      if (reading !== this.#readings || this.#events.signal.aborted) return
      this.#draw(records, before !== null)
      this.#next = next
      this.#more.hidden = !next
    })
  }

  #draw(records, isMore) {
    const shown = JSON.stringify([this.#words, records.map(({ id, revision }) => [id, revision])])
    if (!isMore && shown === this.#shown) return
    this.#shown = isMore ? '' : shown
    const rows = records.map((record) => (this.#isTimeline ? postCard(this.#kind, record) : this.#row(record)))
    const focused = this.#list.contains(document.activeElement) && document.activeElement.closest('li').dataset.record
    if (isMore) this.#list.append(...rows)
    else fill(this.#list, rows)
    if (focused) this.#list.querySelector(`[data-record="${focused}"] :is(a, button)`)?.focus()
    const isEmpty = !this.#list.hasChildNodes()
    const none = this.#words ? 'records.noMatch' : this.#isTrash ? 'trash.none' : 'records.none'
    fill(this.#status, isEmpty && t(none, { kind: this.#kind.title }))
    this.#list.hidden = isEmpty
    this.#form.hidden = isEmpty && !this.#words
    this.#first.hidden = !isEmpty || this.#isTrash || this.#words !== ''
    this.#new.hidden = !this.#first.hidden
  }

  #row(record) {
    const { id, fields, changed } = record
    const picture = firstPicture(this.#kind, record)
    const more = this.#kind.fields.filter(({ name }) => name !== this.#kind.key).map(({ name }) => fields[name]).filter(Boolean)
    const content = [
      h('span.cover', {}, picture ? h('img', { src: blobAddress(picture.blob, 320), alt: '', loading: 'lazy' }) : symbol('records')),
      h('span.words', {}, h('span.title', {}, nameOf(this.#kind, record)), h('span.quiet', {}, [...more.slice(0, 2), shortMomentText(changed)].join(' · '))),
    ]
    if (!this.#isTrash) return h('li', { 'data-record': id }, h('a', { href: `#records/${this.#kind.id}/${id}` }, content))
    const restore = () => attempt(async () => {
      await restoreRecord(record)
      show(t('records.restored'))
      await this.#read()
    })
    return h('li', { 'data-record': id }, h('div.trashed', {}, content), h('button', { onclick: restore, 'data-name': 'restore', 'aria-label': `${t('trash.restore')}: ${nameOf(this.#kind, record)}` }, symbol('retake'), t('trash.restore')))
  }
}

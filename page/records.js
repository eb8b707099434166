// Part of gst-capture. Apache License 2.0, see LICENSE.

import './words-records.js'
import { fill, h } from './dom.js'
import { attempt, confirm } from './messages.js'
import { readKinds, readRecord, readSync } from './record-data.js'
import { state } from './state.js'
import { t } from './words.js'

/**
 * The parts of the view, by the first word of the address after the kind; other words are IDs of records. Each is loaded
 * when it is opened, and returns an object with `element`, `close()` and, if it can have changes, `hasChanges`.
 */
const parts = {
  list: async (kind) => new (await import('./record-list.js')).RecordList(kind),
  trash: async (kind) => new (await import('./record-list.js')).RecordList(kind, { isTrash: true }),
  new: async (kind) => new (await import('./record-editor.js')).RecordEditor(kind),
  edit: async (kind, id) => new (await import('./record-editor.js')).RecordEditor(kind, await readRecord(kind.id, id)),
  conflicts: async (kind, id) => new (await import('./record-conflicts.js')).RecordConflicts(kind, await readRecord(kind.id, id)),
  details: async (kind, id) => new (await import('./record-details.js')).RecordDetails(kind, await readRecord(kind.id, id)),
}

/**
 * The records of the service: lists by their kinds, details, and the editor.
 *
 * @param {string[]} place The parts of the address after `records`.
 */
export const recordsView = (place) => new Records(place)

class Records {
  #kinds = null
  #place
  #part = null
  #isClosed = false
  #events = new AbortController()
  #nav = h('nav.places', { 'aria-label': t('records.kinds'), hidden: true })
  #body = h('div.records-body', {}, h('p.quiet', {}, t('loading')))
  element = h('div.records-view', {}, h('div.row.head', {}, h('h1', {}, t('records')), this.#nav), this.#body)

  constructor(place) {
    this.#place = place
    addEventListener('beforeunload', this.#beforeUnload)
    state.addEventListener('record-picture', ({ detail }) => this.#showArrival(detail.sha256), { signal: this.#events.signal })
    attempt(async () => {
      this.#kinds = await readKinds()
      await this.#show()
    })
  }

  close() {
    this.#isClosed = true
    this.#events.abort()
    removeEventListener('beforeunload', this.#beforeUnload)
    this.#part?.close()
  }

  /** Loads the images of a picture again that was missing on the machine. */
  #showArrival(sha256) {
    for (const image of document.querySelectorAll('img')) if (image.src.includes(sha256) && !image.naturalWidth) image.src = image.src
  }

  /** Shows another part of the address. */
  follow(place) {
    this.#place = place
    if (this.#kinds) attempt(() => this.#show())
  }

  /** Asks the user whether to discard changes, if there are some. */
  async mayLeave() {
    if (!this.#part?.hasChanges) return true
    if (!await confirm(t('records.leaveQuestion'), t('records.discard'))) return false
    this.#part.discard()
    return true
  }

  #beforeUnload = (event) => { if (this.#part?.hasChanges) event.preventDefault() }

  async #show() {
    const place = this.#place
    const [id, object, action] = place
    const kind = this.#kinds.find((other) => other.id === id) ?? this.#kinds[0]
    this.#drawKinds(kind)
    if (!kind) return fill(this.#body, h('p.quiet', {}, t('records.noKinds')))
    const name = !object ? 'list' : object in parts ? object : ['edit', 'conflicts'].includes(action) ? action : 'details'
    const part = await parts[name](kind, object).catch((error) => {
      if (error.status !== 404) throw error
      return { element: h('p.quiet', { role: 'status' }, t('records.gone')), close() {} }
    })
    // The user may have opened another part meanwhile.
    if (this.#place !== place || this.#isClosed) return part.close()
    this.#part?.close()
    this.#part = part
    fill(this.#body, part.element)
    scrollTo(0, 0)
    part.begin?.()
    if (name === 'list') attempt(() => this.#ask(kind, part))
  }

  /** Shows a question about the backend above a list. */
  async #ask(kind, part) {
    const { question } = await readSync(kind.id)
    if (!question) return
    const { syncQuestion } = await import('./record-conflicts.js')
    if (this.#part === part) part.element.prepend(syncQuestion(kind))
  }

  #drawKinds(current) {
    this.#nav.hidden = this.#kinds.length < 2
    fill(this.#nav, this.#kinds.map(({ id, title }) => h('a', { href: `#records/${id}`, 'aria-current': id === current.id ? 'page' : null }, title)))
  }
}

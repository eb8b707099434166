// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, loadStyle, refill, symbol } from './dom.js'
import { attempt, show } from './messages.js'
import { blobAddress, isTimeline, labelOf, nameOf, readRecord, restoreRecord, trashRecord } from './record-data.js'
import { state } from './state.js'
import { has, momentText, serviceText, t } from './words.js'

const largeThumbnail = 1280

/** A record with its pictures and fields. */
export class RecordDetails {
  #kind
  #record
  #events = new AbortController()
  #history = h('div')
  #versions = h('details', { ontoggle: () => this.#showHistory() }, h('summary', {}, t('records.history')), this.#history)
  #body = h('div.record-body')
  element = h('article.record-details')

  constructor(kind, record) {
    this.#kind = kind
    this.#record = record
    this.element.append(this.#body, this.#versions)
    state.addEventListener('record', ({ detail }) => { if (detail.id === record.id && detail.revision !== this.#record.revision) this.#read() }, { signal: this.#events.signal })
    this.#draw()
  }

  close() {
    this.#events.abort()
  }

  #read() {
    return attempt(async () => this.#accept(await readRecord(this.#kind.id, this.#record.id)))
  }

  /** Shows a newer state of the record. */
  #accept(record) {
    if (this.#events.signal.aborted) return
    this.#record = record
    this.#draw()
    this.#showHistory()
  }

  // --- Drawing

  #draw() {
    const { fields, sides, changed, actor } = this.#record
    const kind = this.#kind
    const facts = kind.fields.filter(({ name }) => fields[name]).map((field) => [labelOf(field), fields[field.name]])
    const when = momentText(changed) + (actor ? `, ${actor}` : '')
    refill(
      this.#body, h('h2', {}, nameOf(kind, this.#record)), this.#sync(), this.#buttons(),
      h('div.sides', {}, kind.sides.filter(({ name }) => sides[name]).map((side) => this.#side(side))),
      h('dl', {}, [...facts, [t('records.changed'), when]].map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])))
  }

  /** The state of the synchronization in words. Services without a backend have none. */
  #sync() {
    const { sync, reason } = this.#record
    if (!sync || !has(`records.sync.${sync}`)) return null
    const isFaulty = sync === 'conflict' || sync === 'refused'
    return h(isFaulty ? 'p.fault-line' : 'p.quiet', { role: 'status' }, t(`records.sync.${sync}`) + (reason ? `: ${serviceText(reason)}` : ''))
  }

  #buttons() {
    const { kind, id, trashed } = this.#record
    const restore = () => attempt(async () => {
      this.#accept(await restoreRecord(this.#record))
      show(t('records.restored'))
    })
    if (trashed) return h('div.row', {}, h('p', {}, t('records.inTrash')), h('button.primary', { 'data-name': 'restore', onclick: restore }, symbol('retake'), t('trash.restore')))
    return h(
      'div.row', {}, h('a.button', { href: `#records/${kind}` }, symbol('back'), t('records.all')),
      this.#record.sync === 'conflict' && h('a.button.primary', { href: `#records/${kind}/${id}/conflicts`, 'data-name': 'conflicts' }, t('records.solve')),
      h('a.button.primary', { href: `#records/${kind}/${id}/edit`, 'data-name': 'edit' }, symbol('edit'), t('records.edit')),
      h('button', { onclick: () => this.#remove(), 'data-name': 'remove' }, symbol('remove'), t('remove')))
  }

  #side(side) {
    const { blob } = this.#record.sides[side.name]
    const label = labelOf(side)
    return h(
      'figure', { 'data-side': side.name },
      h('button.picture', { 'aria-label': t('records.openPicture', { side: label }), onclick: () => this.#openSide(side.name) },
        h('img', { src: blobAddress(blob, largeThumbnail), width: blob.width, height: blob.height, alt: '' })),
      !isTimeline(this.#kind) && h('figcaption', {}, label))
  }

  /** Shows the sides in full size, beginning with this one. The file of a download has no value of a field in its name. */
  #openSide(name) {
    return attempt(async () => {
      const { id, kind, sides, changed } = this.#record
      const items = this.#kind.sides.filter((side) => sides[side.name]).map((side) => {
        const { blob } = sides[side.name]
        return { url: blobAddress(blob), side: side.name, title: labelOf(side), name: `${kind}-${id.slice(0, 8)}-${side.name}.jpg`, taken: changed, width: blob.width, height: blob.height, bytes: blob.bytes }
      })
      const { openPictures } = await import('./viewer.js')
      await openPictures({
        item: items.find((item) => item.side === name),
        list: { count: items.length, item: (index) => items[index] ?? null, wait: async (index) => items[index] ?? null, indexOf: (item) => items.indexOf(item), replace() {} },
      })
    })
  }

  // --- Changes

  /** Moves the record into the trash, and offers to restore it. */
  async #remove() {
    await attempt(async () => {
      const kind = this.#kind.id
      await trashRecord(this.#record)
      location.hash = `records/${kind}`
      // The list may be shown before the event of the service.
      const restore = () => attempt(async () => state.dispatchEvent(new CustomEvent('record', { detail: await restoreRecord({ kind, id: this.#record.id }) })))
      show(t('records.removed'), { seconds: 8, action: t('undo'), perform: restore })
    })
  }

  /** Draws the versions while they are open. They are loaded when they are needed. */
  async #showHistory() {
    if (!this.#versions.open) return
    await attempt(async () => {
      const [{ historyList }] = await Promise.all([import('./record-history.js'), loadStyle('records.css')])
      fill(this.#history, await historyList(this.#kind, this.#record, (record) => {
        show(t('records.restored'))
        this.#accept(record)
      }))
    })
  }
}

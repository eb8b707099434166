// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h } from './dom.js'
import { PictureGrid } from './picture-grid.js'
import { PictureStore } from './picture-store.js'
import { Preview } from './preview.js'
import { Scrubber } from './scrubber.js'
import { state } from './state.js'
import { errorText, serviceText, t } from './words.js'

/** A grid of pictures with its slider, and with words if there is no picture. */
export class Gallery {
  #options
  #grid = null
  #store = null
  #live = null
  #liveCell = null
  #frame = h('div.grid-frame')
  #status = h('p.quiet', { role: 'status' })
  #fault = h('p.fault-line', { role: 'alert', hidden: true })
  #news = h('button.news', { hidden: true, onclick: () => this.#showNews() }, t('pictures.new'))
  #hasNews = false
  #isLost = false
  #timer = null
  #events = new AbortController()
  element = h('div.gallery')

  /**
   * @param {Object} options `scroller`, `note` and `selection` are those of the grid; `camera` has the first cell; `empty` is
   *   the text without pictures; `open` is called with a picture.
   */
  constructor(options) {
    this.#options = options
    this.element.append(this.#fault, this.#news, this.#frame, this.#status)
    const { signal } = this.#events
    for (const kind of ['captured', 'live-photo']) state.addEventListener(kind, () => this.#addSoon(), { signal })
    state.addEventListener('film', ({ detail }) => { if (detail.type === 'complete') this.#addSoon() }, { signal })
    state.addEventListener('clip', ({ detail }) => { if (['recorded', 'repaired'].includes(detail.type)) this.#addSoon() }, { signal })
    state.addEventListener('change', () => this.#stateChanged(), { signal })
  }

  close() {
    this.#events.abort()
    clearTimeout(this.#timer)
    this.#clear()
  }

  get store() {
    return this.#store
  }

  get grid() {
    return this.#grid
  }

  /** Shows the pictures of a source. The first cell is the camera, if `hasCamera`. */
  show(source, { hasCamera = false, empty = t('pictures.none') } = {}) {
    this.#clear()
    const { scroller, note, selection, open } = this.#options
    const store = new PictureStore(source)
    this.#store = store
    this.#grid = new PictureGrid({ store, scroller, note, selection, open })
    const scrubber = new Scrubber(this.#grid)
    fill(this.#frame, this.#grid.element, scrubber.element)
    fill(this.#status, t('loading'))
    this.#fault.hidden = true
    this.#hasNews = false
    store.addEventListener('days', () => {
      fill(this.#status, store.count ? '' : empty)
      this.#fault.hidden = true
    })
    store.addEventListener('items', () => { this.#fault.hidden = true })
    store.addEventListener('fault', ({ detail }) => this.#showFault(detail))
    this.#grid.addEventListener('moved', () => this.#moved())
    if (hasCamera && this.#options.camera) this.#makeLiveCell()
    store.load()
  }

  #clear() {
    this.#live?.close()
    this.#live = this.#liveCell = null
    this.#grid?.close()
    this.#store?.close()
    this.#news.hidden = true
  }

  /** A search that the service refuses has its line; other faults also have their title. */
  #showFault(error) {
    this.#isLost = error.status === 0
    const hasNoLibrary = error.status === 404 && !this.#store.days
    const refusal = [error.message, error.advice].filter(Boolean).map(serviceText).join('; ')
    fill(this.#fault, hasNoLibrary ? t('pictures.noLibrary') : error.status === 400 ? refusal : errorText(error))
    this.#fault.hidden = false
    fill(this.#status)
  }

  /** Reads the days that could not be read while the service was away. */
  #stateChanged() {
    this.#drawFault()
    if (state.lostAt === null && this.#store?.days === null && this.#isLost) this.#store.load()
  }

  // --- The cell of the camera

  #makeLiveCell() {
    const { camera } = this.#options
    this.#live = new Preview({ width: 320, fps: 5 })
    this.#liveCell = h(
      'a.cell.live-cell', { href: `#live/${camera}`, 'aria-label': t('pictures.live', { id: camera }) },
      this.#live.element, h('span.badge', {}, t('live')))
    this.#drawFault()
  }

  /** Says in the cell of the camera why there is no live picture. It gets a row for its words. */
  #drawFault() {
    if (!this.#liveCell) return
    this.#live.showFault()
    this.#grid.setLead(this.#liveCell, Boolean(state.camera(this.#options.camera)?.error))
  }

  #moved() {
    if (this.#liveCell) {
      // The stream ends while the cell is not there.
      if (!this.#liveCell.isConnected) this.#live.hide()
      else {
        this.#live.show(this.#options.camera)
        this.#live.showFault()
      }
    }
    if (this.#hasNews && !this.#grid.isInNewestDay) this.#addSoon()
  }

  // --- New pictures

  /** Reads the new pictures at most once a second. */
  #addSoon() {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#addNew()
    }, 1000)
  }

  /** Adds new pictures, unless they would move those that the user looks at. */
  async #addNew() {
    if (!this.#store?.days) return
    this.#hasNews = this.#grid.isInNewestDay
    this.#news.hidden = !this.#hasNews
    if (this.#hasNews) return
    try {
      await this.#store.addNew()
    } catch {
      // The state shows a lost connection.
    }
  }

  #showNews() {
    this.#grid.scrollTo(0)
    this.#addNew()
  }
}

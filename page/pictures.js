// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, set, symbol } from './dom.js'
import { showError } from './messages.js'
import { Preview } from './preview.js'
import { isRemovable, removeLater } from './removal.js'
import { address, get } from './service.js'
import { state } from './state.js'
import { openStills } from './viewer.js'
import { dayText, momentText, t } from './words.js'

const pageSize = 60

/**
 * A grid of pictures by day, newest first, whose first cell is the live camera.
 *
 * @param {string} camera The camera of the first cell; `null` for none.
 */
export function picturesView(camera) {
  return new Pictures(camera)
}

/** The filters of the grid, with their texts. Requested pictures of a camera are a series with its ID. */
function filters() {
  const { cameras, series } = state.status
  return [
    ...cameras.map(({ id }) => [`camera=${id}`, t('pictures.camera', { id })]),
    ...cameras.map(({ id }) => [`series=${id}`, t('pictures.requested', { id })]),
    ...series.map(({ id }) => [`series=${id}`, t('pictures.series', { id })]),
  ]
}

class Pictures {
  #camera
  #live = null
  #liveCell = null
  #grid = h('div.days')
  #end = h('div.end', { 'aria-hidden': 'true' })
  #bar = h('div.row.selection', { hidden: true })
  #status = h('p.quiet', { role: 'status' }, t('loading'))
  #stills = []
  #ids = new Set()
  #days = new Map()
  #removed = new Set()
  #next = undefined
  #isLoading = false
  #selected = new Set()
  #isSelecting = false
  #events = new AbortController()
  #observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && this.#load(), { rootMargin: '1200px' })
  element

  constructor(camera) {
    this.#camera = camera
    const filter = h('select', { 'aria-label': t('pictures.filter'), onchange: () => this.#restart(filter.value) },
      h('option', { value: '' }, t('pictures.all')),
      filters().map(([filter, text]) => h('option', { value: filter }, text)))
    this.element = h(
      'div.pictures-view', {},
      h('div.row.head', {}, h('h1', {}, t('pictures')), filter,
        h('button', { onclick: () => this.#setSelecting(!this.#isSelecting) }, symbol('select'), t('select'))),
      this.#grid, this.#status, this.#end, this.#bar)
    this.#restart('')
    this.#observer.observe(this.#end)
    state.addEventListener('captured', () => this.#addSoon(), { signal: this.#events.signal })
    state.addEventListener('change', () => this.#drawFault(), { signal: this.#events.signal })
    this.element.addEventListener('keydown', (event) => this.#key(event))
  }

  close() {
    this.#events.abort()
    clearTimeout(this.#timer)
    this.#observer.disconnect()
    this.#live?.close()
  }

  #filter = {}

  #restart(filter) {
    const [name, value] = filter.split('=')
    this.#filter = value ? { [name]: value } : {}
    this.#stills = []
    this.#ids.clear()
    this.#days.clear()
    this.#next = undefined
    // A page of the filter before that is still loading is ignored.
    this.#isLoading = false
    this.#selected.clear()
    fill(this.#grid)
    this.#makeLiveCell()
    this.#load()
  }

  async #load() {
    if (this.#isLoading || this.#next === null) return
    this.#isLoading = true
    const filter = this.#filter
    try {
      const page = await get('stills', { ...filter, limit: pageSize, before: this.#next })
      if (filter !== this.#filter) return
      this.#next = page.next ?? null
      this.#append(page.stills)
      fill(this.#status, this.#stills.length ? '' : t('pictures.none'))
    } catch (error) {
      if (filter === this.#filter) this.#next = null
      showError(error)
    } finally {
      if (filter === this.#filter) {
        this.#isLoading = false
        this.#placeLiveCell()
      }
    }
    // A page may have no picture that is still there, and a high screen has room for several.
    if (this.#next && this.#end.getBoundingClientRect().top < innerHeight + 1200) this.#load()
  }

  #timer = null

  /** Reads the new pictures at most once a second. */
  #addSoon() {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#addNew()
    }, 1000)
  }

  /** Inserts pictures that were captured since the grid was opened. */
  async #addNew() {
    const filter = this.#filter
    try {
      const { stills } = await get('stills', { ...filter, limit: 100 })
      if (filter !== this.#filter) return
      const fresh = stills.filter((still) => !this.#ids.has(still.id) && !this.#removed.has(still.id))
      for (const still of fresh.reverse()) {
        this.#stills.unshift(still)
        this.#ids.add(still.id)
        this.#day(still, true).prepend(this.#cell(still))
      }
      this.#placeLiveCell()
      if (fresh.length) fill(this.#status)
    } catch {
      // The state shows a lost connection.
    }
  }

  #append(stills) {
    for (const still of stills) {
      if (this.#removed.has(still.id) || this.#ids.has(still.id)) continue
      this.#stills.push(still)
      this.#ids.add(still.id)
      this.#day(still, false).append(this.#cell(still))
    }
  }

  /** Returns the list of a picture's day, and creates it if it is missing. */
  #day(still, isFirst) {
    const key = new Date(still.captured).toDateString()
    if (this.#days.has(key)) return this.#days.get(key)
    const list = h('div.grid-of-day')
    this.#days.set(key, list)
    const section = h('section', {}, h('h2', {}, dayText(still.captured)), list)
    if (isFirst) this.#grid.prepend(section)
    else this.#grid.append(section)
    return list
  }

  #makeLiveCell() {
    if (!this.#camera) return
    this.#live?.close()
    this.#live = new Preview({ width: 320, fps: 5 })
    this.#liveCell = h(
      'a.cell.live-cell', { href: `#live/${this.#camera}`, 'aria-label': t('pictures.live', { id: this.#camera }) },
      this.#live.element, h('span.badge', {}, t('live')))
    this.#live.show(this.#camera)
    this.#drawFault()
  }

  /** Puts the cell of the camera before the newest picture. Without pictures, it has a list of its own. */
  #placeLiveCell() {
    if (!this.#liveCell) return
    const alone = this.#liveCell.closest('.live-section')
    const first = this.#grid.querySelector('section:not(.live-section) .grid-of-day')
    if (first) {
      if (first.firstChild !== this.#liveCell) first.prepend(this.#liveCell)
      alone?.remove()
    } else if (!alone) {
      this.#grid.append(h('section.live-section', {}, h('div.grid-of-day', {}, this.#liveCell)))
    }
  }

  /** Says in the cell of the camera why there is no live picture. */
  #drawFault() {
    this.#live?.showFault()
  }

  #cell(still) {
    const cell = h(
      'button.cell', { 'data-id': still.id, 'aria-label': t('pictures.one', { time: momentText(still.captured), camera: still.camera }) },
      h('img', { src: address(`stills/${still.id}/thumbnail`), alt: '', loading: 'lazy', decoding: 'async' }), h('span.check-mark', {}, symbol('select')))
    cell.onclick = () => (this.#isSelecting ? this.#toggle(cell) : this.#open(still))
    return cell
  }

  #open(still) {
    openStills({
      stills: this.#stills, index: this.#stills.indexOf(still), more: () => this.#load(),
      removed: (id, restore) => this.#remove([id], restore),
    })
  }

  // --- Selection

  #setSelecting(isOn) {
    this.#isSelecting = isOn
    this.#selected.clear()
    for (const cell of this.#grid.querySelectorAll('[aria-pressed]')) set(cell, { 'aria-pressed': null })
    this.element.classList.toggle('selecting', isOn)
    this.#drawBar()
  }

  #toggle(cell) {
    const { id } = cell.dataset
    if (!this.#selected.delete(id)) this.#selected.add(id)
    set(cell, { 'aria-pressed': String(this.#selected.has(id)) })
    this.#drawBar()
  }

  #drawBar() {
    this.#bar.hidden = !this.#isSelecting
    const ids = [...this.#selected]
    const removable = this.#stills.filter((still) => this.#selected.has(still.id) && isRemovable(still)).map(({ id }) => id)
    const archive = address('stills.zip', { ids: ids.join(',') })
    fill(
      this.#bar, h('span', { role: 'status' }, t('pictures.selected', { count: ids.length })),
      h('button', { onclick: () => this.#setSelecting(false) }, t('done')),
      ids.length > 0 && h('a.button', { href: ids.length === 1 ? address(`stills/${ids[0]}`) : archive, download: '' }, symbol('download'), t('download')),
      removable.length > 0 && h('button', { onclick: () => { this.#setSelecting(false); this.#remove(removable) } }, symbol('remove'), t('remove')))
  }

  /** Removes pictures; `restore` is called if they stay. */
  #remove(ids, restore = () => {}) {
    const hide = (list, isHidden) => {
      for (const id of list) {
        const cell = this.#grid.querySelector(`[data-id="${id}"]`)
        if (cell) cell.hidden = isHidden
        if (isHidden) this.#removed.add(id)
        else this.#removed.delete(id)
      }
    }
    hide(ids, true)
    removeLater(ids, {
      undo() { restore(); hide(ids, false) },
      failed(id) { restore(); hide([id], false) },
    })
  }

  /** Arrow keys move in the grid. */
  #key(event) {
    const cells = [...this.#grid.querySelectorAll('.cell:not([hidden])')]
    const index = cells.indexOf(document.activeElement)
    if (index < 0) return
    const columns = getComputedStyle(cells[index].parentElement).gridTemplateColumns.split(' ').length
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key]
    if (!step) return
    event.preventDefault()
    cells[Math.max(0, Math.min(cells.length - 1, index + step))].focus()
  }
}

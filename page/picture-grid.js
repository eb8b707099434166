// Part of gst-capture. Apache License 2.0, see LICENSE.

import { h } from './dom.js'
import { GridCell } from './grid-cell.js'
import { ScrollMap, cellSize, indexOf, layOut, margin, place, sectionAt, slotsBetween, vertical } from './grid-layout.js'
import { dayText, numberText } from './words.js'

const mostCells = 560
const headHeight = 44
/** A larger step of the scroll bar, in pixels, is a jump of the user to another part of the list. */
const jump = 4000
const idleDelay = 150
/** The number of pictures that one request has. */
const smallDay = 200
/** More than there is above a grid, in pixels. */
const mostAbove = 5000

/**
 * A grid of the pictures of a store, with the elements of the rows near the screen only.
 *
 * `moved` follows each change of the part that is shown.
 */
export class PictureGrid extends EventTarget {
  #store
  #scroller
  #open
  #note
  #selection
  #lead = null
  #layout = null
  #map = new ScrollMap(0)
  #cell = null
  #width = 0
  #sections = new Map()
  /** The position of the scroll bar below the top of the grid, and what is to be added for the height in the grid. */
  #position = 0
  #offset = 0
  #isFast = false
  #shown = ''
  #idle = null
  #current = 0
  #isFocused = false
  #events = new AbortController()
  #size = new ResizeObserver(() => this.#resized())
  element = h('div.days', { tabindex: '-1' })

  /**
   * @param {Object} options `scroller` is the element that scrolls, if it is not the page; `open` is called with a picture
   *   that the user presses; `note` returns a text over a picture; `selection` has the selected pictures.
   */
  constructor({ store, scroller = null, open, note = () => null, selection = null }) {
    super()
    this.#store = store
    this.#scroller = scroller
    this.#open = open
    this.#note = note
    this.#selection = selection
    const { signal } = this.#events
    ;(scroller ?? document).addEventListener('scroll', () => this.#scrolled(), { signal, passive: true })
    store.addEventListener('days', () => this.#arrange(), { signal })
    store.addEventListener('items', () => this.redraw(), { signal })
    selection?.addEventListener('change', () => this.redraw(), { signal })
    this.element.addEventListener('click', (event) => this.#press(event))
    this.element.addEventListener('keydown', (event) => this.#key(event))
    this.element.addEventListener('focusin', ({ target }) => this.#focused(target))
    this.element.addEventListener('focusout', () => { this.#isFocused = false })
    this.#size.observe(this.element)
  }

  close() {
    this.#events.abort()
    this.#size.disconnect()
    clearTimeout(this.#idle)
    for (const section of this.#sections.values()) this.#removeSection(section)
  }

  /** The geometry of all pictures; `null` before it is known. */
  get layout() {
    return this.#layout
  }

  /** The height in the grid at which the screen begins. */
  get top() {
    return this.#position + this.#offset
  }

  get viewHeight() {
    return this.#scroller ? this.#scroller.clientHeight : innerHeight
  }

  /** `true` if the user looks at pictures of the newest day, but not at the newest. */
  get isInNewestDay() {
    return this.#layout?.days.length > 0 && this.top > this.#layout.rowHeight && this.top < this.#layout.tops[1]
  }

  /** Sets the first cell: that of the camera. A `wide` one has a row of its own. */
  setLead(element, isWide = false) {
    const before = this.#lead
    if (before?.element === element && before.isWide === isWide) return
    before?.element.remove()
    this.#lead = element && { element, isWide }
    this.#arrange()
  }

  /** Draws the cells again. */
  redraw() {
    this.#shown = ''
    this.#draw()
  }

  /** The height of what covers the top of the screen. */
  get inset() {
    return !this.#scroller && matchMedia('(min-width: 60rem)').matches ? 58 : 0
  }

  /** Shows a height of the grid at the top of the screen; all that is above the grid with its beginning. */
  scrollTo(y) {
    this.#isFast = true
    this.#moveTo(y <= 0 ? -mostAbove : Math.min(y - this.inset, this.#layout.height - this.viewHeight))
    this.#draw()
    this.#settleSoon()
  }

  /** Shows a picture, and gives it the focus. */
  reveal(index, hasFocus = true) {
    if (!this.#layout || index < 0 || index >= this.#layout.count) return
    const { top } = place(this.#layout, index)
    const [above, below] = [headHeight + this.inset + 8, 80]
    this.#current = index
    if (top < this.top + above) this.#moveTo(top - above)
    else if (top + this.#cell.height > this.top + this.viewHeight - below) this.#moveTo(top + this.#cell.height + below - this.viewHeight)
    this.redraw()
    if (hasFocus) this.#cellAt(index)?.element.focus({ preventScroll: true })
    this.#settleSoon()
  }

  // --- Geometry

  #resized() {
    const width = this.element.clientWidth
    if (width && width !== this.#width) this.#arrange()
  }

  /** Computes the geometry. The picture at the top of the screen stays there. */
  #arrange() {
    const width = this.element.clientWidth
    if (!this.#store.days || !width) return
    const anchor = this.#anchor()
    if (width !== this.#width) for (const section of this.#sections.values()) this.#removeSection(section)
    this.#width = width
    this.#cell = cellSize(width)
    const { columns, height, gap } = this.#cell
    const lead = this.#lead ? (this.#lead.isWide ? columns : 1) : 0
    const days = this.#store.days.length || !lead ? this.#store.days : [{ day: '', count: 0 }]
    const hasHeads = days.some(({ day }) => day)
    this.#layout = layOut(days, { columns, rowHeight: height + gap, headHeight: hasHeads ? headHeight : 0, lead })
    this.#map = new ScrollMap(this.#layout.height)
    this.element.style.height = `${Math.ceil(this.#map.height)}px`
    this.#readPosition()
    if (anchor) this.#restore(anchor)
    this.redraw()
  }

  /** The picture at the top of the screen; `null` at the beginning of the list, where new pictures appear. */
  #anchor() {
    const layout = this.#layout
    if (!layout?.days.length || this.top < layout.rowHeight / 2) return null
    const section = sectionAt(layout, this.top)
    const row = Math.max(0, Math.floor((this.top - layout.tops[section] - layout.headHeight) / layout.rowHeight))
    const slot = row * layout.columns - (section === 0 ? layout.lead : 0)
    const position = Math.max(0, Math.min(slot, layout.days[section].count - 1))
    return { day: layout.days[section].day, position, distance: this.top - place(layout, layout.starts[section] + position).top }
  }

  #restore({ day, position, distance }) {
    let section = this.#layout.days.findIndex((other) => other.day === day)
    if (section < 0) section = this.#layout.days.findIndex((other) => other.day < day)
    if (section < 0) return
    const last = this.#layout.days[section].count - 1
    this.#moveTo(place(this.#layout, this.#layout.starts[section] + Math.min(position, last)).top + distance)
  }

  // --- Scrolling

  #local() {
    const top = this.#scroller ? this.#scroller.getBoundingClientRect().top : 0
    return top - this.element.getBoundingClientRect().top
  }

  #readPosition() {
    this.#position = this.#local()
    if (!this.#map.isCompressed || this.#position <= 0) this.#offset = 0
  }

  #moveTo(y) {
    const target = y <= 0 ? y : this.#map.toScroll(y)
    const distance = target - this.#local()
    const scroller = this.#scroller ?? document.scrollingElement
    if (Math.abs(distance) >= 1) scroller.scrollTop += distance
    this.#position = this.#local()
    this.#offset = this.#map.isCompressed && y > 0 ? y - this.#position : 0
  }

  #scrolled() {
    const before = this.#position
    this.#readPosition()
    const step = Math.abs(this.#position - before)
    this.#isFast = step > 2 * this.viewHeight
    if (this.#map.isCompressed && this.#position > 0) {
      const isJump = step > jump
      if (isJump) this.#offset = this.#map.toContent(this.#position) - this.#position
      // The scroll bar is nearly at its end, but not the list.
      const rest = Math.min(this.#position, this.#map.height - this.#position - this.viewHeight)
      if (!isJump && rest < 2 * this.viewHeight && Math.abs(this.#map.toScroll(this.top) - this.#position) > 1) this.#moveTo(this.top)
    }
    this.#draw()
    this.#settleSoon()
  }

  #settleSoon() {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#settle(), idleDelay)
  }

  /** Moves the scroll bar to where it would be for the shown height, and loads the pictures. */
  #settle() {
    this.#isFast = false
    if (this.#map.isCompressed && this.top > 0) this.#moveTo(this.top)
    this.redraw()
  }

  // --- Drawing

  #draw() {
    const layout = this.#layout
    if (!layout) return
    const { top, viewHeight } = this
    const extra = margin(layout, viewHeight, mostCells)
    const ranges = slotsBetween(layout, top - extra, top + viewHeight + extra)
    const key = `${this.#offset} ${this.#isFast} ${ranges.map(({ section, first, end }) => `${section}:${first}:${end}`)}`
    if (key !== this.#shown) {
      this.#shown = key
      this.#drawSections(ranges)
      this.#want(ranges, top)
    }
    this.dispatchEvent(new Event('moved'))
  }

  #drawSections(ranges) {
    const layout = this.#layout
    const days = new Set(ranges.map(({ section }) => layout.days[section].day))
    for (const [day, section] of this.#sections) if (!days.has(day)) this.#removeSection(section)
    ranges.forEach((range, index) => {
      const section = this.#section(layout.days[range.section])
      const { style } = section.element
      style.top = `${layout.tops[range.section] - this.#offset}px`
      style.height = `${layout.tops[range.section + 1] - layout.tops[range.section]}px`
      if (this.element.children[index] !== section.element) this.element.insertBefore(section.element, this.element.children[index] ?? null)
      this.#drawCells(section, range)
    })
    this.#keepTabStop(ranges)
  }

  #section({ day, count }) {
    let section = this.#sections.get(day)
    if (!section) {
      const head = day ? h('h2', {}, h('span', {}, dayText(`${day}T12:00:00`)), h('span.quiet', {})) : null
      section = { day, head, element: h('section', {}, head), cells: new Map() }
      this.#sections.set(day, section)
    }
    if (section.head) section.head.lastChild.textContent = numberText(count, 0)
    return section
  }

  #removeSection(section) {
    this.#keepFocus(section.element)
    for (const cell of section.cells.values()) cell.remove()
    section.element.remove()
    this.#sections.delete(section.day)
  }

  #drawCells(section, { section: number, first, end }) {
    const [layout, { cells, element, day }] = [this.#layout, section]
    const lead = number === 0 ? layout.lead : 0
    const wanted = new Map()
    for (let slot = Math.max(first, lead); slot < end; slot++) {
      const item = this.#store.itemOf(day, slot - lead)
      wanted.set(item?.id ?? slot, { slot, item })
    }
    for (const [key, cell] of cells) {
      if (wanted.has(key)) continue
      // A cell without a picture gets the one that has come.
      const item = typeof key === 'number' && this.#store.itemOf(day, key - lead)
      cells.delete(key)
      if (item && wanted.has(item.id) && !cells.has(item.id)) {
        cells.set(item.id, cell)
      } else {
        this.#keepFocus(cell.element)
        cell.remove()
      }
    }
    let next = section.head ? section.head.nextSibling : element.firstChild
    if (lead && first === 0) {
      const row = this.#lead.isWide ? '100%' : `${this.#cell.width}px`
      this.#lead.element.style.cssText = `left:0;top:${layout.headHeight}px;width:${row};height:${this.#cell.height}px`
      if (this.#lead.element !== next) element.insertBefore(this.#lead.element, next)
      else next = next.nextSibling
    } else if (lead) {
      this.#lead.element.remove()
      if (next === this.#lead.element) next = section.head ? section.head.nextSibling : element.firstChild
    }
    for (const [key, { slot, item }] of wanted) {
      let cell = cells.get(key)
      if (!cell) {
        cell = new GridCell()
        cells.set(key, cell)
      }
      if (cell.slot !== slot) cell.move(slot, { columns: layout.columns, cell: this.#cell }, layout.headHeight + Math.floor(slot / layout.columns) * layout.rowHeight)
      if (item) {
        cell.show(item, this.#note(item))
        cell.isSelected = this.#selection?.isOn ? this.#selection.has(item.id) : null
        if (!this.#isFast) cell.load()
      }
      cell.index = indexOf(layout, number, slot)
      cell.element.tabIndex = cell.index === this.#current ? 0 : -1
      if (cell.element !== next) element.insertBefore(cell.element, next)
      else next = next.nextSibling
    }
  }

  /** Asks for the pictures of the screen first, then for those around it. */
  #want(ranges, top) {
    if (!this.#store.days.length) return
    const need = ({ section, end }) => ({ section, end: end - (section === 0 ? this.#layout.lead : 0) })
    const onScreen = slotsBetween(this.#layout, top, top + this.viewHeight)
    // The end of a large day needs all its pictures. That of a day above the screen can wait.
    const isNear = ({ section }) => section >= onScreen[0]?.section || this.#layout.days[section].count <= smallDay
    this.#store.want([...onScreen, ...ranges.filter(isNear)].map(need))
  }

  // --- Keys and the pointer

  #cellAt(index) {
    for (const { cells } of this.#sections.values()) for (const cell of cells.values()) if (cell.index === index) return cell
    return null
  }

  /** One cell can be reached with the tab key: the current one, or else the first one on the screen. */
  #keepTabStop(ranges) {
    if (this.#isFocused || this.#cellAt(this.#current) || !ranges.length) return
    const [range] = slotsBetween(this.#layout, this.top + headHeight, this.top + this.viewHeight)
    if (!range) return
    this.#current = Math.max(0, indexOf(this.#layout, range.section, range.first))
    const cell = this.#cellAt(this.#current)
    if (cell) cell.element.tabIndex = 0
  }

  /** Keeps the focus in the grid if its cell is removed because the user scrolls. */
  #keepFocus(element) {
    if (element.contains(document.activeElement) && this.element.isConnected) this.element.focus({ preventScroll: true })
  }

  #focused(target) {
    this.#isFocused = true
    const cell = target.gridCell
    if (!cell || cell.index === this.#current) return
    const before = this.#cellAt(this.#current)
    if (before) before.element.tabIndex = -1
    this.#current = cell.index
    cell.element.tabIndex = 0
  }

  #press({ target }) {
    const cell = target.closest('.cell')?.gridCell
    if (!cell?.item) return
    if (this.#selection?.isOn) this.#selection.toggle(cell.item)
    else this.#open(cell.item)
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.#layout) return
    const { columns, count, rowHeight } = this.#layout
    const page = columns * Math.max(1, Math.floor(this.viewHeight / rowHeight) - 1)
    const index = {
      ArrowLeft: this.#current - 1, ArrowRight: this.#current + 1, ArrowUp: vertical(this.#layout, this.#current, -1), ArrowDown: vertical(this.#layout, this.#current, 1),
      PageUp: this.#current - page, PageDown: this.#current + page, Home: 0, End: count - 1,
    }[event.key]
    if (index === undefined) return
    event.preventDefault()
    const isAtLead = this.#current === 0 && ['ArrowLeft', 'ArrowUp', 'Home'].includes(event.key)
    if (isAtLead && this.#lead?.element.isConnected) return this.#lead.element.focus()
    const isInLead = this.#lead?.element === event.target
    this.reveal(isInLead ? 0 : Math.max(0, Math.min(count - 1, index)))
  }
}

// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, set } from './dom.js'
import { sectionAt, yearMarks } from './grid-layout.js'
import { dayText, monthText, t } from './words.js'

/** The smallest distance of two years, in pixels. */
const leastDistance = 22
/** A day that is less high on the slider, in pixels, begins at the top of the screen. */
const leastDay = 12

/** A slider over all days of a grid, with the years beside it. */
export class Scrubber {
  #grid
  #marks = h('div.marks', { 'aria-hidden': 'true' })
  #thumb = h('div.thumb')
  #bubble = h('div.bubble', { 'aria-hidden': 'true', hidden: true })
  #layout = null
  #frame = null
  #part = 0
  element

  constructor(grid) {
    this.#grid = grid
    this.element = h(
      'div.scrubber', {
        role: 'slider', tabindex: '0', hidden: true, 'aria-label': t('pictures.scrubber'), 'aria-orientation': 'vertical', 'aria-valuemin': '0',
        onpointerdown: (event) => this.#press(event), onpointermove: (event) => this.#drag(event),
        onpointerup: () => { this.#bubble.hidden = true }, onpointercancel: () => { this.#bubble.hidden = true },
        onkeydown: (event) => this.#key(event),
      }, this.#marks, this.#thumb, this.#bubble)
    grid.addEventListener('moved', () => this.#draw())
  }

  #draw() {
    const { layout, top, viewHeight, inset } = this.#grid
    const isShort = layout.height < 3 * viewHeight || layout.days.length < 2
    if (this.element.hidden !== isShort) this.element.hidden = isShort
    if (isShort) return
    if (layout !== this.#layout) this.#drawMarks(layout)
    const section = sectionAt(layout, Math.max(0, top + inset + 1))
    this.#thumb.style.top = `${100 * this.#partOf(top)}%`
    if (this.element.dataset.day === layout.days[section].day) return
    const { day } = layout.days[section]
    this.element.dataset.day = day
    set(this.element, { 'aria-valuenow': section, 'aria-valuetext': dayText(`${day}T12:00:00`) })
  }

  #drawMarks(layout) {
    this.#layout = layout
    const height = this.element.clientHeight || 400
    set(this.element, { 'aria-valuemax': layout.days.length - 1 })
    fill(this.#marks, yearMarks(layout, leastDistance / height).map(({ year, part }) => {
      const mark = h('span', {}, year)
      mark.style.top = `${100 * part}%`
      return mark
    }))
  }

  #partOf(y) {
    const { layout, viewHeight } = this.#grid
    return Math.max(0, Math.min(1, y / Math.max(1, layout.height - viewHeight)))
  }

  #press(event) {
    this.element.setPointerCapture(event.pointerId)
    this.#bubble.hidden = false
    this.#drag(event)
  }

  /** Follows the pointer, at most once in a picture of the screen. */
  #drag(event) {
    if (!this.element.hasPointerCapture(event.pointerId)) return
    event.preventDefault()
    const box = this.element.getBoundingClientRect()
    this.#part = Math.max(0, Math.min(1, (event.clientY - box.top) / box.height))
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null
      const { layout, viewHeight } = this.#grid
      const y = this.#part * (layout.height - viewHeight)
      const section = sectionAt(layout, y)
      const { day } = layout.days[section]
      const height = (layout.tops[section + 1] - layout.tops[section]) / layout.height * this.element.clientHeight
      this.#bubble.textContent = monthText(`${day}T12:00:00`)
      this.#bubble.style.top = `${100 * this.#part}%`
      this.#grid.scrollTo(height < leastDay ? layout.tops[section] : y)
    })
  }

  /** Arrow keys go to the next day, page keys to the next month. */
  #key(event) {
    const { layout, top, inset } = this.#grid
    const section = sectionAt(layout, Math.max(0, top + inset + 1))
    const month = (by) => {
      let other = section
      while (layout.days[other + by] && layout.days[other].day.slice(0, 7) === layout.days[section].day.slice(0, 7)) other += by
      return other
    }
    const target = {
      ArrowUp: section - 1, ArrowRight: section - 1, ArrowDown: section + 1, ArrowLeft: section + 1,
      PageUp: month(-1), PageDown: month(1), Home: 0, End: layout.days.length - 1,
    }[event.key]
    if (target === undefined) return
    event.preventDefault()
    this.#grid.scrollTo(layout.tops[Math.max(0, Math.min(layout.days.length - 1, target))])
  }
}

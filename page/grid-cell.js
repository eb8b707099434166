// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, set, symbol } from './dom.js'
import { isMovie, shownLength, thumbnailAddress } from './library.js'
import { clockText } from './recording.js'
import { lengthText, momentText, t } from './words.js'

/** A place of the grid: a picture, or none as long as the picture is not loaded. */
export class GridCell {
  #image = null
  #source
  slot = -1
  item = null
  element = h('button.cell', { type: 'button', tabindex: '-1', 'aria-label': t('loading') })

  constructor() {
    this.element.gridCell = this
  }

  move(slot, { columns, cell }, top) {
    this.slot = slot
    const column = slot % columns
    this.element.style.cssText =
      `left:${column * (cell.width + cell.gap)}px;top:${top}px;width:${cell.width}px;height:${cell.height}px`
  }

  /**
   * Shows a picture, or the first picture of a clip with its length.
   *
   * @param {string|null} note A text over the picture.
   */
  show(item, note) {
    if (item === this.item) return
    this.item = item
    const name = item.title ? `${item.title}, ` : ''
    const length = isMovie(item) ? shownLength(item) : null
    const words = t(length === null ? 'pictures.one' : 'pictures.clip', {
      time: momentText(item.taken), camera: item.camera ?? item.name, length: length !== null && lengthText(length),
    })
    set(this.element, { 'data-id': item.id, 'aria-label': [name + words, note].filter(Boolean).join(', ') })
    const source = thumbnailAddress(item)
    if (source !== this.#source) {
      this.#source = source
      this.#image = source && h('img', { alt: '', decoding: 'async', onerror: () => this.#missed() })
      this.element.classList.toggle('missing', !source)
    }
    const mark = length !== null && h('span.cell-length', { 'aria-hidden': 'true' }, symbol('play'), clockText(length))
    fill(this.element, this.#image ?? symbol('video'), mark, item.stars > 0 && h('span.cell-stars', { 'aria-hidden': 'true' }, `★ ${item.stars}`), note && h('span.badge', { 'aria-hidden': 'true' }, note))
  }

  /** Loads the picture. While the user scrolls fast, it would be gone before it came. */
  load() {
    if (this.#image && !this.#image.hasAttribute('src')) this.#image.src = this.#source
  }

  set isSelected(isSelected) {
    set(this.element, { 'aria-pressed': isSelected === null ? null : String(isSelected) })
  }

  remove() {
    // Ends the request of the picture.
    this.#image?.removeAttribute('src')
    this.element.remove()
  }

  /** A picture without a file, such as one of a disk that is not mounted, is a symbol. */
  #missed() {
    if (!this.#image.hasAttribute('src')) return
    this.element.classList.add('missing')
    this.#image.replaceWith(symbol('missing'))
  }
}

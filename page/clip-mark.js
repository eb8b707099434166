// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h } from './dom.js'
import { t } from './words.js'

/** A red mark with the remaining time of the clip of a session. */
export class ClipMark {
  #time = h('span')
  #end = 0
  #ticks = null
  element = h('div.recording.clip-mark', { role: 'timer', hidden: true }, h('span.dot', { role: 'img', 'aria-label': t('recording') }), this.#time)

  /** Shows the time up to a moment, in milliseconds since 1970 on the clock of this device. */
  show(end) {
    this.#end = end
    this.#ticks ??= setInterval(() => this.#draw(), 200)
    this.element.hidden = false
    this.#draw()
  }

  hide() {
    clearInterval(this.#ticks)
    this.#ticks = null
    this.element.hidden = true
  }

  #draw() {
    fill(this.#time, lengthText(Math.ceil((this.#end - Date.now()) / 1000) * 1000))
  }
}

/** Returns the length of a clip in minutes and seconds, rounded to the nearest second: `0:05`. */
export function lengthText(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/**
 * Returns the element that shows a picture of a session, or plays a clip.
 *
 * @param {(query: object) => string} addressOf Returns the address of the picture with a query.
 * @param {string} alt Describes the picture.
 */
export function pictureElement({ duration_ms, poster }, addressOf, alt) {
  if (!duration_ms) return h('img', { src: addressOf({}), alt })
  return h('video', { src: addressOf({}), poster: poster ? addressOf({ poster: 'yes' }) : null, controls: true, playsinline: true, preload: 'none', 'aria-label': alt })
}

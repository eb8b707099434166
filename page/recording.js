// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, symbol } from './dom.js'
import { state } from './state.js'
import { t } from './words.js'

/** Returns a span of time as a clock shows it: `1:02:03`, `0:07`. */
export function clockText(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0'))
  const hours = Math.floor(seconds / 3600)
  return hours ? [hours, ...parts].join(':') : `${Number(parts[0])}:${parts[1]}`
}

/** Shows to every viewer that a camera records, for how long, and that a microphone is on. */
export class RecordingBadge {
  element = h('div.recording', { hidden: true })
  #camera
  #time = h('span')
  #ticks = setInterval(() => this.#tick(), 1000)

  constructor(camera) {
    this.#camera = camera
    this.draw()
  }

  draw() {
    const { recording } = this
    const isOn = recording?.state === 'recording'
    this.element.hidden = !isOn && !recording?.microphone
    fill(
      this.element, isOn && h('span.dot', { role: 'img', 'aria-label': t('recording') }), isOn && this.#time,
      recording?.microphone && h('span.microphone', { role: 'img', 'aria-label': t('recording.microphone'), title: recording.microphone }, symbol('microphone')))
    this.#tick()
  }

  /** The state of the camera's recordings; `null` if it records none. */
  get recording() {
    return state.camera(this.#camera)?.recording ?? null
  }

  close() {
    clearInterval(this.#ticks)
  }

  #tick() {
    if (!this.element.hidden) fill(this.#time, clockText(Date.now() - state.localTime(this.recording.since)))
  }
}

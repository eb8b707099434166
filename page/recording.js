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
    const isOn = this.#since !== null
    const microphone = this.#recording?.microphone ?? this.#recording?.session?.microphone
    this.element.hidden = !isOn && !microphone
    fill(
      this.element, isOn && h('span.dot', { role: 'img', 'aria-label': t('recording') }), isOn && this.#time,
      microphone && h('span.microphone', { role: 'img', 'aria-label': t('recording.microphone'), title: microphone }, symbol('microphone')))
    this.#tick()
  }

  /** `true` if the camera has clips of its own, beside those of sessions. */
  get hasClips() {
    return (this.#recording?.state ?? 'none') !== 'none'
  }

  get #recording() {
    return state.camera(this.#camera)?.recording ?? null
  }

  /** Since when the camera records a clip of its own, or of a session; `null` if it does not. */
  get #since() {
    return this.#recording?.state === 'recording' ? this.#recording.since : this.#recording?.session?.since ?? null
  }

  close() {
    clearInterval(this.#ticks)
  }

  #tick() {
    if (this.#since !== null) fill(this.#time, clockText(Date.now() - state.localTime(this.#since)))
  }
}

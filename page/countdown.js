// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h } from './dom.js'
import { language } from './words.js'

const radius = 46
const circumference = 2 * Math.PI * radius

/** Draws the seconds until a moment as a ring with a number, and speaks or beeps them. */
export class Countdown {
  #ring = ring()
  #number = h('span.number')
  element = h('div.countdown', { role: 'timer', hidden: true }, this.#ring.svg, this.#number)

  /** `off`, `beep` or `speech`. */
  sound = 'off'

  #end = 0
  #span = 0
  #frame = null
  #shown = null

  /**
   * Counts to a moment. If it counts already, this corrects the moment.
   *
   * @param {number} end In milliseconds since 1970, on the clock of this device.
   * @param {number} span The remaining time, in milliseconds: the whole ring.
   */
  count(end, span) {
    this.#end = end
    if (this.isRunning || end <= Date.now()) return
    this.#span = Math.max(span, 1)
    this.#shown = null
    this.element.hidden = false
    this.#draw()
  }

  stop() {
    cancelAnimationFrame(this.#frame)
    this.element.hidden = true
    this.#end = 0
    if (this.#shown !== null) globalThis.speechSynthesis?.cancel()
  }

  get isRunning() {
    return !this.element.hidden
  }

  #draw() {
    const left = this.#end - Date.now()
    if (left <= 0) {
      if (this.sound === 'beep') beep(1320, 0.25)
      return this.stop()
    }
    const seconds = Math.ceil(left / 1000)
    if (seconds !== this.#shown) {
      this.#shown = seconds
      fill(this.#number, `${seconds}`)
      this.#sound(seconds)
    }
    this.#ring.circle.style.strokeDashoffset = circumference * (1 - left / this.#span)
    this.#frame = requestAnimationFrame(() => this.#draw())
  }

  #sound(seconds) {
    if (this.sound === 'beep') return beep(880, 0.08)
    if (this.sound !== 'speech' || !globalThis.speechSynthesis) return
    const words = new SpeechSynthesisUtterance(`${seconds}`)
    words.lang = language()
    words.rate = 1.3
    speechSynthesis.speak(words)
  }
}

let audio = null

/** Sounds a tone. `seconds` is its duration, `frequency` in hertz. */
function beep(frequency, seconds) {
  audio ??= new AudioContext()
  const oscillator = audio.createOscillator()
  const gain = audio.createGain()
  oscillator.frequency.value = frequency
  gain.gain.setValueAtTime(0.2, audio.currentTime)
  gain.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + seconds)
  oscillator.connect(gain).connect(audio.destination)
  oscillator.start()
  oscillator.stop(audio.currentTime + seconds)
}

function ring() {
  const create = (name, attributes) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
    return element
  }
  const svg = create('svg', { viewBox: '0 0 100 100', 'aria-hidden': 'true' })
  const circle = create('circle', { cx: 50, cy: 50, r: radius, 'stroke-dasharray': circumference })
  svg.append(create('circle', { cx: 50, cy: 50, r: radius, class: 'track' }), circle)
  return { svg, circle }
}

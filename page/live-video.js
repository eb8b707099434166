// Part of gst-capture. Apache License 2.0, see LICENSE.

import { h } from './dom.js'
import { LivePace } from './live-pace.js'

/** Plays movies that do not end; iPhones have only the managed one. */
const Source = window.ManagedMediaSource ?? window.MediaSource

/** How long a video may bring no picture, in milliseconds. */
const patience = 3000
/** How far a video may be behind the end of its newest picture before it jumps, and how far it is then, in seconds. */
const [large, near] = [1.5, 0.1]
/** How many seconds of a video that were shown stay in memory. */
const kept = 10

/** `true` if this browser plays live video. */
export const playsVideo = Boolean(Source)

/**
 * Live video of a camera, in a `video` element that belongs to the caller.
 *
 * The events `picture` (the first picture is shown) and `end` (it has ended, or cannot be played) are emitted.
 */
export class LiveVideo extends EventTarget {
  element = h('video.live', { muted: true, autoplay: true, playsinline: true, disableremoteplayback: true })
  #abort = new AbortController()
  #stall = null
  #pace = new LivePace()
  #hasEnded = false

  /** @param {string} address The address of the video. */
  constructor(address) {
    super()
    this.element.muted = true
    this.element.addEventListener('loadeddata', () => this.dispatchEvent(new Event('picture')), { once: true })
    this.element.addEventListener('error', () => this.#end())
    this.#play(address).catch(() => {}).finally(() => this.#end())
  }

  /** Ends the video, without an event. */
  close() {
    this.#hasEnded = true
    this.#abort.abort()
    clearTimeout(this.#stall)
    if (this.element.src) URL.revokeObjectURL(this.element.src)
    this.element.removeAttribute('src')
    this.element.load()
  }

  #end() {
    if (this.#hasEnded) return
    this.close()
    this.dispatchEvent(new Event('end'))
  }

  async #play(address) {
    this.#await()
    const response = await fetch(address, { signal: this.#abort.signal })
    const type = response.headers.get('content-type')
    if (!response.ok || !Source.isTypeSupported(type)) return
    const source = new Source()
    const isOpen = new Promise((resolve) => source.addEventListener('sourceopen', resolve, { once: true }))
    this.element.src = URL.createObjectURL(source)
    await isOpen
    const buffer = source.addSourceBuffer(type)
    const reader = response.body.getReader()
    for (let part = await reader.read(); !part.done && !this.#hasEnded; part = await reader.read()) {
      this.#await()
      this.#hurry(buffer.buffered)
      await perform(buffer, () => buffer.appendBuffer(part.value))
      this.#keepUp(buffer.buffered)
      const start = this.element.currentTime - kept
      if (buffer.buffered.length && buffer.buffered.start(0) < start - kept) {
        await perform(buffer, () => buffer.remove(0, start))
      }
    }
  }

  /** Ends a video that brings no picture. */
  #await() {
    clearTimeout(this.#stall)
    this.#stall = setTimeout(() => this.#end(), patience)
  }

  /** Shortens a delay of the pictures. Call it when a picture has come, before it is appended. */
  #hurry(buffered) {
    if (!buffered.length) return
    const end = buffered.end(buffered.length - 1)
    this.element.playbackRate = this.#pace.rate(end, this.element.currentTime, performance.now() / 1000)
  }

  /** Follows the newest picture: pictures that were left out for a slow network are a gap. */
  #keepUp(buffered) {
    if (!buffered.length) return
    const last = buffered.length - 1
    const [start, end] = [buffered.start(last), buffered.end(last)]
    const { currentTime } = this.element
    if (currentTime >= start && end - currentTime <= large) return
    this.element.currentTime = Math.max(start, end - near)
    this.#pace = new LivePace()
  }
}

/** Performs a step of a buffer, and waits for its end. */
async function perform(buffer, step) {
  const isDone = new Promise((resolve, reject) => {
    buffer.addEventListener('updateend', resolve, { once: true })
    buffer.addEventListener('error', reject, { once: true })
  })
  step()
  await isDone
}

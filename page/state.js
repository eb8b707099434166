// Part of gst-capture. Apache License 2.0, see LICENSE.

import { address, get } from './service.js'

/**
 * The state of the service as this page knows it. `change` follows each new state, and events of the service have their
 * own names, with the event's object as `detail`.
 */
class State extends EventTarget {
  /** The response of `/api/v1/status`; `null` before the first. */
  status = null
  /** The caller: `role` and `name`. */
  me = null
  /** The moment at which the connection was lost, in milliseconds since 1970; `null` while it is there. */
  lostAt = null

  /** How far the clock of the service is ahead of that of this device, in milliseconds. */
  clockOffset = 0

  #source = null
  #refresh = null
  #retry = null
  #pause = 1000

  /** `true` if the caller may use requests of a role. */
  may(role) {
    const roles = ['view', 'kiosk', 'capture', 'admin']
    return roles.indexOf(this.me?.role) >= roles.indexOf(role)
  }

  /** `true` if the service has a part that others do not have, such as `outbox`. */
  offers(part) {
    return this.me?.offers.includes(part) ?? false
  }

  camera(id) {
    return this.status?.cameras.find((camera) => camera.id === id)
  }

  series(id) {
    return this.status?.series.find((series) => series.id === id)
  }

  /** Returns the moment of this device's clock at which the service's clock shows a time. */
  localTime(text) {
    return Date.parse(text) - this.clockOffset
  }

  /** Reads the caller and the state, and listens to events from then on. */
  async start() {
    await this.#meet()
    this.#listen()
    await this.refresh()
  }

  /** Reads the state again. */
  async refresh() {
    this.#refresh = null
    this.status = await get('status')
    this.#emitChange()
  }

  /** Reads the caller, and estimates the difference of the clocks from the fastest of three responses. */
  async #meet() {
    let best = Infinity
    for (let count = 0; count < 3; count++) {
      const begin = performance.now()
      this.me = await get('me')
      const span = performance.now() - begin
      if (span >= best) continue
      best = span
      this.clockOffset = Date.parse(this.me.time) - (Date.now() - span / 2)
    }
  }

  #listen() {
    const source = new EventSource(address('events'))
    this.#source = source
    source.onopen = () => this.#connected()
    source.onerror = () => this.#lost(source)
    source.addEventListener('snapshot', (event) => {
      this.status = JSON.parse(event.data)
      this.#emitChange()
    })
    for (const kind of kinds) source.addEventListener(kind, (event) => this.#handle(kind, JSON.parse(event.data)))
  }

  #connected() {
    this.#pause = 1000
    if (this.lostAt === null) return
    this.lostAt = null
    this.#emitChange()
    this.#refreshSoon()
  }

  /** After a refusal, such as while the service starts, the browser does not connect again by itself. */
  #lost(source) {
    if (this.lostAt === null) {
      this.lostAt = Date.now()
      this.#emitChange()
    }
    if (source.readyState !== EventSource.CLOSED || source !== this.#source) return
    this.#retryLater()
  }

  #retryLater() {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => this.#connectAgain(), this.#pause)
    this.#pause = Math.min(2 * this.#pause, 30000)
  }

  /** Connects again. A browser whose token was removed gets the page that explains how to pair. */
  async #connectAgain() {
    try {
      await this.#meet()
      this.#listen()
    } catch (error) {
      if (error.status === 401) location.reload()
      else this.#retryLater()
    }
  }

  #handle(kind, event) {
    this.dispatchEvent(new CustomEvent(kind, { detail: event }))
    if (!transient.has(kind)) this.#refreshSoon()
  }

  /** Reads the state at most twice a second. */
  #refreshSoon() {
    this.#refresh ??= setTimeout(() => this.refresh().catch(() => {}), 500)
  }

  #emitChange() {
    this.dispatchEvent(new Event('change'))
  }
}

/** The events that the page uses. */
const kinds = [
  'captured', 'missed', 'failed', 'lost', 'recovering', 'recovered', 'stalled', 'series', 'stream', 'reloaded', 'notice',
  'phase', 'stage', 'countdown', 'recording', 'recorder', 'gate', 'removed', 'review', 'stage-done', 'skipped',
  'aborted', 'refused', 'filled', 'finished', 'camera', 'outbox', 'clip', 'film', 'live-photo', 'record', 'record-picture',
]
/** Events that do not change the state of cameras and series. */
const transient = new Set(['countdown', 'recording', 'gate', 'phase', 'stage', 'review', 'stage-done', 'refused', 'filled', 'outbox', 'record', 'record-picture'])

export const state = new State()

// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, set, symbol } from './dom.js'
import { attempt, messages } from './messages.js'
import { isRemovable } from './removal.js'
import { address, get } from './service.js'
import { settings } from './settings.js'
import { state } from './state.js'
import { bytesText, momentText, numberText, t } from './words.js'

/** Shows one picture: that of a `still`, or a `url` whose picture is stored nowhere. */
export async function openPicture({ still, url, time }) {
  if (url) return openStills({ stills: [{ url, captured: time }], index: 0 })
  await attempt(async () => {
    const { stills } = await get('stills', { limit: 50 })
    const index = stills.findIndex((other) => other.id === still)
    openStills(index >= 0 ? { stills, index } : { stills: [{ id: still, captured: time }], index: 0 })
  })
}

/**
 * Shows pictures in full size: swipe and arrow keys change the picture, a pinch, the wheel and a double tap zoom.
 *
 * @param {Object} options `more` loads further pictures into `stills`; `removed` is called with the ID of a picture that
 *   the user removes, and with a function that undoes the removal from `stills`.
 */
export function openStills(options) {
  new Viewer(options)
}

class Viewer {
  #stills
  #index
  #more
  #removed
  #image = h('img.full', { alt: '', draggable: 'false' })
  #caption = h('p.caption', { role: 'status' })
  #bar = h('div.row.viewer-bar')
  #details = h('dl.details', { hidden: true, tabindex: '0' })
  #dialog
  #zoom = { scale: 1, x: 0, y: 0 }
  #pointers = new Map()
  #gesture = null

  constructor({ stills, index, more, removed }) {
    this.#stills = stills
    this.#index = index
    this.#more = more
    this.#removed = removed
    const step = (name, by) =>
      h(`button.round.${name}`, { 'aria-label': t(name), onclick: () => this.#step(by) }, symbol(name))
    this.#dialog = h(
      'dialog.viewer', { 'aria-label': t('viewer'), onclose: () => this.#closed(), onkeydown: (event) => this.#key(event) },
      h('div.frame', {}, this.#image), step('back', -1), step('next', 1), this.#bar, this.#details, this.#caption)
    const frame = this.#dialog.querySelector('.frame')
    for (const kind of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel']) {
      frame.addEventListener(kind, (event) => this.#pointer(event))
    }
    frame.addEventListener('wheel', (event) => { event.preventDefault(); this.#scale(event.deltaY < 0 ? 1.2 : 1 / 1.2, event) }, { passive: false })
    frame.addEventListener('dblclick', (event) => this.#scale(this.#zoom.scale > 1 ? 0 : 2.5, event))
    document.body.append(this.#dialog)
    this.#draw()
    this.#dialog.showModal()
    // A modal dialog covers the page, with the button that undoes a removal.
    this.#dialog.append(messages)
    // Back closes the picture, and does not leave the view behind it.
    history.pushState({ isViewer: true }, '')
    addEventListener('popstate', this.#back)
  }

  #back = () => this.#dialog.close()

  #closed() {
    removeEventListener('popstate', this.#back)
    document.body.append(messages)
    this.#dialog.remove()
    if (history.state?.isViewer) history.back()
  }

  get #still() {
    return this.#stills[this.#index]
  }

  #draw() {
    const still = this.#still
    const source = still.url ?? address(`stills/${still.id}`)
    this.#setZoom(1, 0, 0)
    set(this.#image, { src: source, alt: t('pictures.one', { time: momentText(still.captured), camera: still.camera ?? '' }) })
    fill(this.#caption, momentText(still.captured),
      still.width && ` · ${still.width} × ${still.height} · ${bytesText(still.bytes)} · ${still.camera}`)
    const focused = document.activeElement?.dataset?.name
    const button = (name, perform, more = {}) => h('button.round', { 'aria-label': t(name), title: t(name), 'data-name': name, onclick: perform, ...more }, symbol(name))
    fill(
      this.#bar,
      !still.url && button('details', () => this.#toggleDetails(), { 'aria-expanded': String(!this.#details.hidden) }),
      !still.url && button('ghost', () => this.#useAsGhost(), { 'aria-label': t('ghost.use'), title: t('ghost.use') }),
      h('a.button.round', { href: source, download: `${still.id ?? 'picture'}`, 'aria-label': t('download'), title: t('download') }, symbol('download')),
      this.#removed && isRemovable(still) && button('remove', () => this.#remove()),
      button('close', () => this.#dialog.close()))
    if (focused) this.#bar.querySelector(`[data-name="${focused}"]`)?.focus()
    this.#dialog.querySelector('.back').disabled = this.#index === 0
    this.#dialog.querySelector('.next').disabled = this.#index === this.#stills.length - 1 && !this.#more
    if (!this.#details.hidden) this.#drawDetails()
    if (this.#index > this.#stills.length - 10) this.#more?.()
    // The next picture is there when the user turns to it.
    const next = this.#stills[this.#index + 1]
    if (next?.id) new Image().src = address(`stills/${next.id}`)
  }

  #step(by) {
    const index = this.#index + by
    if (index < 0 || index >= this.#stills.length) return
    this.#index = index
    this.#draw()
  }

  #remove() {
    const [still, index] = [this.#still, this.#index]
    this.#stills.splice(index, 1)
    this.#removed(still.id, () => {
      this.#stills.splice(index, 0, still)
      if (!this.#dialog.open) return
      this.#index = index
      this.#draw()
    })
    if (!this.#stills.length) return this.#dialog.close()
    this.#index = Math.min(this.#index, this.#stills.length - 1)
    this.#draw()
  }

  /** Shows the picture over the live one. */
  #useAsGhost() {
    settings.ghostStill = this.#still.id
    settings.ghost = true
    this.#dialog.close()
    location.hash = `live/${this.#still.camera ?? ''}`
    state.dispatchEvent(new Event('ghost'))
  }

  #toggleDetails() {
    this.#details.hidden = !this.#details.hidden
    this.#draw()
  }

  async #drawDetails() {
    const still = this.#still
    await attempt(async () => {
      const tags = await get(`stills/${still.id}/exif`)
      if (still !== this.#still) return
      const facts = [
        [t('details.id'), still.id], [t('details.offset'), still.offset_ms != null && `${numberText(still.offset_ms, 1)} ms`],
        [t('details.brightness'), still.brightness != null && numberText(still.brightness, 2)],
        ['SHA-256', still.sha256], ...Object.entries(tags).map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : `${value}`]),
      ]
      fill(this.#details, facts.filter(([, value]) => value).map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]))
    })
  }

  // --- Gestures

  #pointer(event) {
    const frame = event.currentTarget
    if (event.type === 'pointerdown') {
      frame.setPointerCapture(event.pointerId)
      this.#pointers.set(event.pointerId, event)
      this.#gesture = { start: [...this.#pointers.values()], zoom: { ...this.#zoom } }
      return
    }
    if (!this.#pointers.has(event.pointerId)) return
    if (event.type === 'pointermove') {
      this.#pointers.set(event.pointerId, event)
      return this.#move()
    }
    const [first] = this.#gesture.start
    const isSwipe = this.#gesture.start.length === 1 && this.#gesture.zoom.scale === 1
    this.#pointers.delete(event.pointerId)
    if (isSwipe) {
      const distance = event.clientX - first.clientX
      this.#setZoom(1, 0, 0)
      if (Math.abs(distance) > 60) this.#step(distance < 0 ? 1 : -1)
    }
    this.#gesture = { start: [...this.#pointers.values()], zoom: { ...this.#zoom } }
  }

  #move() {
    const { start, zoom } = this.#gesture
    const now = [...this.#pointers.values()]
    if (now.length === 1) {
      const [dx, dy] = [now[0].clientX - start[0].clientX, now[0].clientY - start[0].clientY]
      return this.#setZoom(zoom.scale, zoom.x + dx, zoom.scale === 1 ? 0 : zoom.y + dy)
    }
    const distance = (pair) => Math.hypot(pair[0].clientX - pair[1].clientX, pair[0].clientY - pair[1].clientY)
    if (start.length < 2) return
    this.#setZoom(zoom.scale * distance(now) / distance(start), zoom.x, zoom.y)
  }

  #scale(factor, event) {
    const { scale, x, y } = this.#zoom
    const next = factor === 0 ? 1 : scale * factor
    const box = this.#image.parentElement.getBoundingClientRect()
    const [px, py] = [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2]
    const ratio = Math.max(1, Math.min(8, next)) / scale
    this.#setZoom(next, px - (px - x) * ratio, py - (py - y) * ratio)
  }

  #setZoom(scale, x, y) {
    scale = Math.max(1, Math.min(8, scale))
    if (scale === 1 && this.#pointers.size === 0) x = y = 0
    this.#zoom = { scale, x, y }
    this.#image.style.transform = `translate(${x}px, ${y}px) scale(${scale})`
  }

  #key(event) {
    const action = { ArrowLeft: () => this.#step(-1), ArrowRight: () => this.#step(1), Delete: () => this.#removed && isRemovable(this.#still) && this.#remove(), i: () => !this.#still.url && this.#toggleDetails() }[event.key]
    if (!action) return
    event.preventDefault()
    action()
  }
}

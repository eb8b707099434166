// Part of gst-capture. Apache License 2.0, see LICENSE.

/** Zooms and moves a picture: a pinch, the wheel, a double tap. `swiped` is called with -1 or 1 for a swipe. */
export class Zoom {
  #image
  #swiped
  #zoom = { scale: 1, x: 0, y: 0 }
  #pointers = new Map()
  #gesture = null

  constructor(frame, image, swiped) {
    this.#image = image
    this.#swiped = swiped
    for (const kind of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel']) {
      frame.addEventListener(kind, (event) => this.#pointer(event))
    }
    frame.addEventListener('wheel', (event) => { event.preventDefault(); this.#scale(event.deltaY < 0 ? 1.2 : 1 / 1.2, event) }, { passive: false })
    frame.addEventListener('dblclick', (event) => this.#scale(this.#zoom.scale > 1 ? 0 : 2.5, event))
  }

  reset() {
    this.#set(1, 0, 0)
  }

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
      this.#set(1, 0, 0)
      if (Math.abs(distance) > 60) this.#swiped(distance < 0 ? 1 : -1)
    }
    this.#gesture = { start: [...this.#pointers.values()], zoom: { ...this.#zoom } }
  }

  #move() {
    const { start, zoom } = this.#gesture
    const now = [...this.#pointers.values()]
    if (now.length === 1) {
      const [dx, dy] = [now[0].clientX - start[0].clientX, now[0].clientY - start[0].clientY]
      return this.#set(zoom.scale, zoom.x + dx, zoom.scale === 1 ? 0 : zoom.y + dy)
    }
    const distance = (pair) => Math.hypot(pair[0].clientX - pair[1].clientX, pair[0].clientY - pair[1].clientY)
    if (start.length < 2) return
    this.#set(zoom.scale * distance(now) / distance(start), zoom.x, zoom.y)
  }

  #scale(factor, event) {
    const { scale, x, y } = this.#zoom
    const next = factor === 0 ? 1 : scale * factor
    const box = this.#image.parentElement.getBoundingClientRect()
    const [px, py] = [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2]
    const ratio = Math.max(1, Math.min(8, next)) / scale
    this.#set(next, px - (px - x) * ratio, py - (py - y) * ratio)
  }

  #set(scale, x, y) {
    scale = Math.max(1, Math.min(8, scale))
    if (scale === 1 && this.#pointers.size === 0) x = y = 0
    this.#zoom = { scale, x, y }
    this.#image.style.transform = `translate(${x}px, ${y}px) scale(${scale})`
  }
}

// Part of gst-capture. Apache License 2.0, see LICENSE.

import { h, symbol } from './dom.js'
import { hasLocation } from './location.js'
import { confirm, showError } from './messages.js'
import { address, get } from './service.js'
import { stageTitle } from './scenes.js'
import { t } from './words.js'

/** The largest upload of the service, in bytes. */
const mostBytes = 32 << 20
const zooms = [0.05, 20]

/**
 * Lets the user move, zoom and turn a picture under the outline of a stage that crops. Offers to remove the position from a
 * picture that has one.
 *
 * @param {Object} stage The stage of a session.
 * @param {File} chosen The picture.
 * @param {Object} [start] The place of the picture at first: `move_x`, `move_y`, `zoom` and `turn`.
 * @returns {Promise<{file: Blob, query: Object}|null>} The picture with its place; `null` if the user cancels.
 */
export async function placePicture(stage, chosen, start) {
  try {
    const file = await accepted(chosen)
    const choice = await hasLocation(file) ? locationChoice() : null
    const query = () => (choice?.querySelector('input').checked ? { location: 'remove' } : {})
    if (stage.crop !== 'none' && stage.outline) {
      const place = await new Placing(stage, file, choice, start).result
      return place && { file, query: { ...place, ...query() } }
    }
    if (choice && !await confirm(choice, t('placing.use'))) return null
    return { file, query: query() }
  } catch (error) {
    showError(error)
    return null
  }
}

/** A box that removes the position from a picture. */
const locationChoice = () => h(
  'div.location', {}, h('p.quiet', {}, t('placing.locationText')),
  h('label.check', {}, h('input', { type: 'checkbox', checked: true }), t('placing.location')))

/** Returns a picture that the service accepts: other formats and too large files become JPEG. */
async function accepted(file) {
  if (['image/jpeg', 'image/png'].includes(file.type) && file.size <= mostBytes) return file
  const bitmap = await createImageBitmap(file).catch(() => { throw new Error(t('placing.unreadable', { name: file.name })) })
  const canvas = h('canvas', { width: bitmap.width, height: bitmap.height })
  canvas.getContext('2d').drawImage(bitmap, 0, 0)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.95))
}

/**
 * A dialog that shows a picture under an outline.
 *
 * The place is that of `CropAdjustment`: the picture is zoomed and turned around the center of the outline's shape, then
 * moved by parts of its size.
 */
class Placing {
  #place = { moveX: 0, moveY: 0, zoom: 1, turn: 0 }
  /** The box of the shape, in parts of the picture. */
  #box = { x: 0, y: 0, width: 1, height: 1 }
  #image = h('img.placed', { alt: t('placing.picture') })
  #frame
  #pointers = new Map()
  #dialog
  /** Settles when the user decides, with the place for a request; with `null` if the user cancels. */
  result

  constructor(stage, file, choice, start) {
    if (start) this.#place = { moveX: start.move_x, moveY: start.move_y, zoom: start.zoom, turn: start.turn }
    this.#image.src = URL.createObjectURL(file)
    this.#frame = h('div.placing', {
      tabindex: '0', role: 'application', 'aria-label': t('placing.help'),
      onpointerdown: (event) => this.#press(event), onpointermove: (event) => this.#move(event),
      onpointerup: (event) => this.#pointers.delete(event.pointerId), onpointercancel: (event) => this.#pointers.delete(event.pointerId),
      onwheel: (event) => { event.preventDefault(); this.#change({ zoom: Math.exp(-event.deltaY / 500) }) },
      onkeydown: (event) => this.#key(event),
    }, this.#image)
    const tool = (name, text, change) => h('button', { 'aria-label': t(name), 'data-name': name, onclick: () => this.#change(change) }, text)
    this.result = new Promise((resolve) => {
      const close = (value) => { this.#dialog.close(); this.#dialog.remove(); URL.revokeObjectURL(this.#image.src); resolve(value) }
      this.#dialog = h(
        'dialog.placing-dialog', { 'aria-label': t('placing.title', { stage: stageTitle(stage) }), oncancel: (event) => { event.preventDefault(); close(null) } },
        h('p', {}, t('placing.text')), this.#frame,
        h('div.row', {}, tool('placing.smaller', '−', { zoom: 1 / 1.1 }), tool('placing.larger', '+', { zoom: 1.1 }),
          tool('placing.left', '↺', { turn: -5 }), tool('placing.right', '↻', { turn: 5 }),
          h('button.icon', { 'aria-label': t('placing.reset'), title: t('placing.reset'), onclick: () => { this.#place = { moveX: 0, moveY: 0, zoom: 1, turn: 0 }; this.#draw() } }, symbol('retake'))),
        choice,
        h('div.row.answers', {}, h('button.plain', { onclick: () => close(null) }, t('cancel')),
          h('button.primary.large', { onclick: () => close(this.#query()) }, t('placing.use'))))
      document.body.append(this.#dialog)
      this.#dialog.showModal()
      this.#open(stage).catch((error) => { showError(error); close(null) })
    })
  }

  async #open(stage) {
    await this.#image.decode().catch(() => { throw new Error(t('placing.unreadable', { name: '' })) })
    const { naturalWidth, naturalHeight } = this.#image
    const scale = Math.min(1, 1280 / Math.max(naturalWidth, naturalHeight))
    const size = { width: Math.max(16, Math.round(naturalWidth * scale)), height: Math.max(16, Math.round(naturalHeight * scale)) }
    this.#frame.style.aspectRatio = `${naturalWidth} / ${naturalHeight}`
    this.#frame.style.setProperty('--aspect', naturalWidth / naturalHeight)
    this.#frame.append(h('img.placing-outline', { src: address(`outlines/${stage.outline}/render`, { ...size, ground: 'none', dim: 1 }), alt: '' }))
    this.#box = await get(`outlines/${stage.outline}/shape`, size)
    this.#frame.dataset.ready = 'yes'
    this.#draw()
    this.#frame.focus()
  }

  #query() {
    const { moveX, moveY, zoom, turn } = this.#place
    return { move_x: moveX.toFixed(5), move_y: moveY.toFixed(5), zoom: zoom.toFixed(5), turn: turn.toFixed(3) }
  }

  /** Adds moves in parts of the shape, and a turn in degrees; multiplies the zoom. */
  #change({ moveX = 0, moveY = 0, zoom = 1, turn = 0 }) {
    const place = this.#place
    place.moveX = Math.max(-100, Math.min(100, place.moveX + moveX))
    place.moveY = Math.max(-100, Math.min(100, place.moveY + moveY))
    place.zoom = Math.max(zooms[0], Math.min(zooms[1], place.zoom * zoom))
    place.turn = (place.turn + turn + 540) % 360 - 180
    this.#draw()
  }

  #draw() {
    const { x, y, width, height } = this.#box
    const { moveX, moveY, zoom, turn } = this.#place
    this.#image.style.transformOrigin = `${100 * (x + width / 2)}% ${100 * (y + height / 2)}%`
    this.#image.style.transform = `translate(${100 * moveX * width}%, ${100 * moveY * height}%) rotate(${turn}deg) scale(${zoom})`
  }

  #press(event) {
    this.#frame.setPointerCapture(event.pointerId)
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY })
  }

  /** One finger moves; two fingers also zoom and turn. */
  #move(event) {
    const before = [...this.#pointers.values()].map((point) => ({ ...point }))
    const point = this.#pointers.get(event.pointerId)
    if (!point) return
    Object.assign(point, { x: event.clientX, y: event.clientY })
    const after = [...this.#pointers.values()]
    const { width, height } = this.#frame.getBoundingClientRect()
    const change = {
      moveX: (mean(after, 'x') - mean(before, 'x')) / width / this.#box.width,
      moveY: (mean(after, 'y') - mean(before, 'y')) / height / this.#box.height,
    }
    if (after.length === 2) {
      const [old, now] = [span(before), span(after)]
      change.zoom = old.length ? now.length / old.length : 1
      change.turn = now.angle - old.angle
    }
    this.#change(change)
  }

  #key(event) {
    const step = event.shiftKey ? 0.1 : 0.01
    const change = {
      ArrowLeft: { moveX: -step }, ArrowRight: { moveX: step }, ArrowUp: { moveY: -step }, ArrowDown: { moveY: step },
      '+': { zoom: 1.05 }, '-': { zoom: 1 / 1.05 }, ',': { turn: -1 }, '.': { turn: 1 },
    }[event.key]
    if (!change) return
    event.preventDefault()
    event.stopPropagation()
    this.#change(change)
  }
}

const mean = (points, axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length

/** The distance of two points, and the direction from the first to the second in degrees. */
function span([first, second]) {
  const [x, y] = [second.x - first.x, second.y - first.y]
  return { length: Math.hypot(x, y), angle: Math.atan2(y, x) * 180 / Math.PI }
}

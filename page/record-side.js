// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, refill, set, symbol } from './dom.js'
import { attempt, show } from './messages.js'
import { placePicture } from './placing.js'
import { addBlob, blobAddress, cropBlob, labelOf } from './record-data.js'
import { get } from './service.js'
import { state } from './state.js'
import { t } from './words.js'

/** The stages of sides without a session, or whose session this service does not have: they have no outline. */
const noStage = {}

/** Returns the stage of the session that captures a side, with its camera. */
async function stageOf({ session, stage: name }) {
  if (!session) return noStage
  const { stages, cameras } = await get(`sessions/${session}`).catch((error) => {
    if (error.status === 404) return { stages: [], cameras: {} }
    throw error
  })
  const stage = stages.find((other) => other.name === name) ?? stages[0] ?? noStage
  const roles = [...stage.cameras ?? [], ...Object.keys(cameras)]
  return { ...stage, cameraID: cameras[roles.find((role) => role in cameras)] }
}

/** The part of a file name that the service needs for nothing, but the browser for a file. */
const fileName = 'picture.jpg'

/** A side in the editor: its picture, and the buttons that change it. */
export class SideField {
  #side
  #picture
  #changed
  #stage = null
  #isBusy = false
  /** What the buttons depend on, as they were drawn last. */
  #drawn = ''
  #isClosed = false
  #shown = h('div.side-picture')
  #buttons = h('div.row')
  #fault = h('p.part-fault', { 'aria-live': 'polite' })
  #input = h('input.unseen', { type: 'file', accept: 'image/*', onchange: () => this.#useFile() })
  element

  /** @param {(picture: Object|null) => void} changed Is called with another picture of the user. */
  constructor(side, picture, changed) {
    this.#side = side
    this.#picture = picture
    this.#changed = changed
    const id = `side-${side.name}-fault`
    this.#fault.id = id
    set(this.#input, { 'data-name': `device-${side.name}` })
    this.element = h(
      'fieldset.side', { 'data-side': side.name, 'aria-describedby': id }, h('legend', {}, labelOf(side) + (side.required ? ' *' : '')),
      this.#shown, this.#buttons, this.#fault)
    this.#draw()
    this.#readStage().then(() => { if (!this.#isBusy) this.#draw() }, () => {})
  }

  close() {
    this.#isClosed = true
  }

  focus() {
    this.#buttons.querySelector('button, input')?.focus()
  }

  /** The fault in words; empty for none. */
  set fault(text) {
    if (this.#fault.textContent !== text) fill(this.#fault, text)
    this.element.classList.toggle('faulty', text !== '')
  }

  set picture(picture) {
    this.#picture = picture
    this.#draw()
  }

  #readStage() {
    this.#stage ??= stageOf(this.#side)
    this.#stage.then((stage) => { this.#hasOutline = isCropped(stage) }, () => { this.#stage = null })
    return this.#stage
  }

  #hasOutline = false

  // --- Drawing

  #draw() {
    const { name } = this.#side
    const label = labelOf(this.#side)
    const picture = this.#picture
    const button = (key, icon, text, perform) => h(
      'button', { type: 'button', 'data-name': `${key}-${name}`, 'aria-label': `${text}: ${label}`, onclick: perform }, symbol(icon), text)
    const hasCamera = state.status.cameras.length > 0
    set(this.#input, { 'aria-label': `${t('records.fromDevice')}: ${label}`, disabled: false })
    fill(this.#shown, picture ? h('img', { src: blobAddress(picture.blob, 320), alt: label }) : h('span.quiet', {}, t('records.noPicture')))
    // Buttons that are there stay: the user may just be pressing one.
    const drawn = JSON.stringify([hasCamera, Boolean(picture), Boolean(picture) && this.#hasOutline])
    if (drawn === this.#drawn) return
    this.#drawn = drawn
    refill(
      this.#buttons,
      hasCamera && button('take', 'live', t(picture ? 'records.retake' : 'records.take'), () => this.#take()),
      button('pictures', 'pictures', t('records.fromPictures'), () => this.#choose()),
      h('label.button', {}, symbol('upload'), t('records.fromDevice'), this.#input),
      picture && this.#hasOutline && button('adjust', 'edit', t('records.adjust'), () => this.#adjust()),
      picture && button('clear', 'remove', t('records.removePicture'), () => this.#set(null)))
  }

  #set(picture) {
    if (this.#isClosed) return
    this.picture = picture
    this.#changed(picture)
  }

  // --- Pictures

  /** Settles when the change of the picture that has begun is done. */
  settled = Promise.resolve()

  #change(action) {
    if (!this.#isBusy) this.settled = this.#perform(action)
    return this.settled
  }

  /** Performs a change of the picture, during which the buttons are off. */
  async #perform(action) {
    const focused = this.#buttons.contains(document.activeElement) && document.activeElement.dataset.name
    this.#isBusy = true
    for (const control of this.#buttons.querySelectorAll('button, input')) control.disabled = true
    const picture = await attempt(async () => {
      await this.#readStage()
      return action()
    })
    this.#isBusy = false
    this.#drawn = ''
    if (picture) this.#set(picture)
    else this.#draw()
    if (focused) this.#buttons.querySelector(`[data-name="${focused}"]`)?.focus()
  }

  #take() {
    return this.#change(async () => {
      const stage = await this.#stage
      const { takePicture } = await import('./record-camera.js')
      const file = await takePicture({ title: `${t('records.take')}: ${labelOf(this.#side)}`, prompt: stage.prompt, outline: isCropped(stage) ? stage.outline : null, camera: stage.cameraID })
      return file && this.#stored(file, { isTaken: true })
    })
  }

  #choose() {
    return this.#change(async () => {
      const { choosePicture, fileOf } = await import('./choose-picture.js')
      const chosen = await choosePicture()
      return chosen && this.#placed(await fileOf(chosen))
    })
  }

  #useFile() {
    const [file] = this.#input.files
    this.#input.value = ''
    if (file) this.#change(() => this.#placed(file))
  }

  /** Moves the whole picture under the outline again, and crops it there. */
  #adjust() {
    return this.#change(async () => {
      const { blob, origin } = this.#picture
      const whole = origin?.blob ?? blob
      const response = await fetch(blobAddress(whole))
      const file = new File([await response.blob()], fileName, { type: 'image/jpeg' })
      return this.#placed(file, { whole, place: origin })
    })
  }

  /**
   * Lets the user place a picture under the outline of the side. Returns the picture of the side; `null` if the user cancels.
   *
   * @param {Object} [stored] `whole` is the blob of the file, and `place` its place before.
   */
  async #placed(file, { whole, place } = {}) {
    const stage = { ...await this.#stage, name: this.#side.name, title: labelOf(this.#side) }
    const placed = await placePicture(stage, file, place)
    if (!placed) return null
    const { location, ...adjustment } = placed.query
    return this.#stored(placed.file, { adjustment, whole: location ? null : whole, location })
  }

  /** Stores a whole picture, and crops it. */
  async #stored(file, { adjustment = {}, whole, location, isTaken = false }) {
    const stage = await this.#stage
    const blob = whole ?? await addBlob(file, { location })
    if (!isCropped(stage)) return { blob }
    const crop = { outline: stage.outline, adjustment: Object.fromEntries(Object.entries(adjustment).map(([name, value]) => [name, Number(value)])) }
    const rectify = stage.crop === 'rectify'
    const { rectified, ...picture } = await cropBlob(blob, { ...crop, rectify })
    // The user has placed other pictures under the outline.
    if (isTaken && rectify && !rectified) show(t('records.noEdges'))
    return picture
  }
}

const isCropped = ({ crop, outline }) => Boolean(outline) && crop !== 'none'

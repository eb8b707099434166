// Part of gst-capture. Apache License 2.0, see LICENSE.

import { controlsPanel, isShown } from './controls.js'
import { Countdown } from './countdown.js'
import { fill, h, refill, set, symbol } from './dom.js'
import { attempt, show, showError } from './messages.js'
import { playsVideo } from './live-video.js'
import { Preview } from './preview.js'
import { RecordingBadge } from './recording.js'
import { seriesPanel } from './series.js'
import { address, get, post } from './service.js'
import { settings } from './settings.js'
import { state } from './state.js'
import { has, t } from './words.js'

/**
 * The live picture of a camera with its controls.
 *
 * @returns {{element: HTMLElement, close: () => void}}
 */
export function liveView(camera) {
  return new Live(camera)
}

/** Small screens get fewer pictures a second, and smaller video: they have a slower network. */
const isSmall = () => matchMedia('(max-width: 700px)').matches
/** The service keeps the frames before a live photo while a page with this parameter watches. */
const keeping = () => (settings.livePhotos && state.may('capture') ? { live: 1 } : {})
const streamQuery = () => ({ ...(isSmall() && { fps: 15 }), ...keeping() })
const videoQuery = () => (settings.video ? { width: isSmall() ? 854 : 1280, ...keeping() } : null)

/** The short name of an outline; those that come with the service have one in the language of the page. */
const outlineTitle = (name) => (has(`outline.${name ?? 'none'}`) ? t(`outline.${name ?? 'none'}`) : name)

class Live {
  #camera
  #preview = new Preview(streamQuery(), videoQuery())
  #transport = h('button.transport', { hidden: true, onclick: () => this.#changeTransport() })
  #countdown = new Countdown()
  #recording
  #buttons = h('div.shutter-row')
  #tools = h('div.tools', { role: 'toolbar', 'aria-label': t('tools') })
  #panel = h('section.panel', { hidden: true })
  #panelClose = null
  /** `true` until the camera is known to have no controls. */
  #hasControls = true
  #hasAskedControls = false
  #last = h('button.last-picture', { hidden: true, 'aria-label': t('live.last') })
  #lastPicture = null
  #events = new AbortController()
  #isBusy = false
  element

  constructor(camera) {
    this.#camera = camera
    this.#recording = new RecordingBadge(camera)
    this.#preview.over.append(this.#countdown.element, this.#recording.element, this.#transport)
    this.#preview.addEventListener('transport', () => this.#drawTransport())
    this.#countdown.sound = settings.sound
    this.element = h(
      'div.live-view', {}, h('h1.unseen', {}, t('live')),
      h('div.stage', {}, this.#preview.element), this.#tools, this.#panel, this.#buttons)
    this.#drawTools()
    this.#drawButtons()
    this.#applyLayers()
    this.#preview.show(camera)
    this.#drawState()
    const { signal } = this.#events
    state.addEventListener('ghost', () => { this.#drawTools(); this.#applyLayers() }, { signal })
    state.addEventListener('change', () => this.#drawState(), { signal })
    for (const kind of ['captured', 'live-photo']) {
      state.addEventListener(kind, (event) => this.#captured(event.detail), { signal })
    }
    state.addEventListener('countdown', (event) => this.#counting(event.detail), { signal })
    document.addEventListener('keydown', (event) => this.#key(event), { signal })
    this.#showLast()
  }

  close() {
    this.#events.abort()
    this.#countdown.stop()
    this.#recording.close()
    this.#panelClose?.()
    this.#preview.close()
  }

  // --- Transport

  /** Names how the live picture comes. */
  #drawTransport() {
    const { transport } = this.#preview
    this.#transport.hidden = !transport
    if (!transport) return
    const label = t(`transport.${transport}`)
    fill(this.#transport, transport === 'video' ? 'H.264' : 'JPEG')
    set(this.#transport, { 'aria-label': label, title: label, disabled: !playsVideo, 'data-transport': transport })
  }

  #changeTransport() {
    settings.video = this.#preview.transport !== 'video'
    this.#preview.play(streamQuery(), videoQuery())
  }

  // --- Pictures

  async #snap(query = {}) {
    if (this.#isBusy || !state.may('capture')) return
    this.#isBusy = true
    this.#drawButtons()
    const isLive = settings.livePhotos && !query.burst
    // The picture is that of the press; its event comes with the movie.
    if (isLive && !query.delay) this.#preview.flash()
    try {
      const response = await post(`cameras/${this.#camera}/snap`, { ...query, ...(isLive && { live: 1 }) })
      if (response.headers.get('content-type').startsWith('image/')) await this.#showUnstored(response)
    } catch (error) {
      // The user stopped the countdown.
      if (error.reason !== 'called-off') showError(error)
    } finally {
      this.#isBusy = false
      this.#countdown.stop()
      this.#drawButtons()
    }
  }

  /** Shows a picture that only this response has. */
  async #showUnstored(response) {
    const url = URL.createObjectURL(await response.blob())
    this.#preview.flash()
    this.#setLast({ url, time: response.headers.get('x-capture-time') }, url)
    show(t('live.unstored'), { action: t('view'), perform: () => this.#openLast() })
  }

  #captured(event) {
    if (event.camera !== this.#camera || !event.still) return
    const isOwnLivePhoto = this.#isBusy && settings.livePhotos
    if ((!event.series || event.series === this.#camera) && !isOwnLivePhoto) this.#preview.flash()
    this.#setLast({ still: event.still, time: event.at }, address(`stills/${event.still}/thumbnail`))
  }

  /** The service counts; each of its seconds corrects the end. */
  #counting(event) {
    if (event.camera !== this.#camera) return
    const wasRunning = this.#countdown.isRunning
    this.#countdown.count(state.localTime(event.due), event.remaining_ms)
    if (!wasRunning) this.#drawButtons()
  }

  async #showLast() {
    try {
      const { stills } = await get('stills', { camera: this.#camera, limit: 1 })
      const still = stills[0]
      if (still && !this.#lastPicture) {
        this.#setLast({ still: still.id, time: still.captured }, address(`stills/${still.id}/thumbnail`))
      }
    } catch {
      // The live picture works without it.
    }
  }

  #setLast(picture, url) {
    if (this.#lastPicture?.url) URL.revokeObjectURL(this.#lastPicture.url)
    this.#lastPicture = picture
    this.#last.hidden = false
    fill(this.#last, h('img', { src: url, alt: '' }))
    if (settings.ghost) this.#applyLayers()
  }

  async #openLast() {
    const { openPicture } = await import('./viewer.js')
    openPicture(this.#lastPicture)
  }

  // --- Buttons

  #drawButtons() {
    const isCounting = this.#countdown.isRunning
    const isOff = this.#isBusy
    const button = (name, label, perform, more = {}) =>
      h('button.round', { 'aria-label': label, title: label, onclick: perform, disabled: isOff, 'data-name': name, ...more },
        symbol(name))
    refill(
      this.#buttons, this.#last,
      state.may('capture') && button('burst', t('burst', { count: settings.burst }), () => this.#snap({ burst: settings.burst })),
      state.may('capture') && (isCounting
        ? h('button.shutter.stop', { 'aria-label': t('stop'), 'data-name': 'shutter', onclick: () => this.#callOff() })
        : h('button.shutter', {
          'aria-label': t('snap'), title: t('snap'), 'aria-disabled': isOff, 'data-name': 'shutter',
          onclick: () => this.#snap(),
        })),
      state.may('capture') && button('timer', t('delayed', { count: settings.delay }), () => this.#snap({ delay: `${settings.delay}s` })))
    this.#last.onclick = () => this.#lastPicture && this.#openLast()
  }

  #callOff() {
    attempt(() => post(`cameras/${this.#camera}/call-off`))
  }

  /** Asks a camera that delivers pictures for its controls: one without controls gets no tool for them. */
  async #askControls() {
    if (this.#hasAskedControls || state.camera(this.#camera)?.state !== 'delivering') return
    this.#hasAskedControls = true
    try {
      const { controls } = await get(`cameras/${this.#camera}/controls`)
      this.#hasControls = controls.some(isShown)
    } catch {
      // The panel says why it cannot read them.
    }
    if (!this.#hasControls) this.#drawTools()
  }

  #drawTools() {
    const toggle = (name, key) => {
      const button = h('button.tool', { 'aria-pressed': String(settings[key]), 'data-name': name }, symbol(name), h('span', {}, t(name)))
      button.onclick = () => {
        settings[key] = !settings[key]
        // The next ghost is the last picture again.
        if (key === 'ghost') settings.ghostStill = null
        if (key === 'livePhotos') this.#preview.play(streamQuery(), videoQuery())
        set(button, { 'aria-pressed': String(settings[key]) })
        this.#applyLayers()
      }
      return button
    }
    const open = this.#tools.querySelector('[aria-expanded=true]')?.dataset.name
    const panel = (name, create) => {
      const button = h('button.tool', { 'aria-expanded': String(name === open), 'data-name': name }, symbol(name), h('span', {}, t(name)))
      button.onclick = () => this.#togglePanel(button, create)
      return button
    }
    refill(
      this.#tools, panel('outline', () => this.#outlinePanel()), toggle('mirror', 'mirror'), toggle('grid', 'grid'),
      toggle('ghost', 'ghost'), state.may('capture') && toggle('live-photo', 'livePhotos'), panel('series', () => seriesPanel(this.#camera)),
      this.#recording.hasClips && panel('video', () => this.#clipsPanel()),
      this.#hasControls && panel('controls', () => controlsPanel(this.#camera)),
      panel('timer', () => ({ element: this.#timerPanel(), close() {} })))
  }

  #tool(name) {
    return this.#tools.querySelector(`[data-name="${name}"]`)
  }

  #closePanel() {
    for (const button of this.#tools.querySelectorAll('[aria-expanded]')) set(button, { 'aria-expanded': 'false' })
    this.#panelClose?.()
    this.#panelClose = null
    this.#panel.hidden = true
    fill(this.#panel)
  }

  #togglePanel(button, create) {
    const isOpen = button.getAttribute('aria-expanded') === 'true'
    this.#closePanel()
    if (isOpen) return
    this.#panel.hidden = false
    set(button, { 'aria-expanded': 'true' })
    const { element, close } = create()
    this.#panelClose = close
    fill(
      this.#panel, h('div.row.panel-head', {}, h('h2', {}, button.textContent),
        h('button.plain.icon', { 'aria-label': t('close'), onclick: () => { this.#closePanel(); this.#tool(button.dataset.name)?.focus() } }, symbol('close'))),
      element)
  }

  /** The clips are loaded when they are needed. */
  #clipsPanel() {
    const element = h('div')
    let close = () => {}
    import('./clips.js').then(({ clipsPanel }) => {
      const panel = clipsPanel(this.#camera)
      close = () => panel.close()
      fill(element, panel.element)
    })
    return { element, close: () => close() }
  }

  #timerPanel() {
    const number = (key, label, values) =>
      h('fieldset.choices', {}, h('legend', {}, label), values.map((value) =>
        h('label', {}, h('input', {
          type: 'radio', name: key, value, checked: settings[key] === value,
          onchange: () => { settings[key] = value; this.#drawButtons() },
        }), `${value}`)))
    const sound = h('fieldset.choices', {}, h('legend', {}, t('sound')), ['off', 'beep', 'speech'].map((value) =>
      h('label', {}, h('input', {
        type: 'radio', name: 'sound', value, checked: settings.sound === value,
        onchange: () => { settings.sound = this.#countdown.sound = value },
      }), t(`sound.${value}`))))
    return h('div', {}, number('delay', t('delay.seconds'), [3, 5, 10, 30]), number('burst', t('burst.pictures'), [3, 5, 10]), sound)
  }

  // --- Layers

  #outlinePanel() {
    const list = h('div.outlines', { role: 'radiogroup', 'aria-label': t('outline') })
    const choose = (name) => {
      settings.outline = name
      for (const button of list.children) set(button, { 'aria-checked': String(button.dataset.outline === (name ?? '')) })
      this.#applyLayers()
    }
    const entry = (name, title) =>
      h('button.outline', {
        role: 'radio', 'aria-checked': String((settings.outline ?? '') === (name ?? '')), 'data-outline': name ?? '',
        title, onclick: () => choose(name),
      },
      name && h('img', { src: address(`outlines/${name}/render`, { width: 160, height: 90, stroke: 'bold' }), alt: '', loading: 'lazy' }),
      h('span', {}, outlineTitle(name)))
    get('outlines').then(({ outlines }) =>
      fill(list, entry(null, t('outline.none')), outlines.map(({ name, title }) => entry(name, title ?? name))),
    ).catch(showError)
    const opacity = h('input', {
      type: 'range', min: 10, max: 100, step: 5, value: settings.opacity,
      oninput: () => { settings.opacity = Number(opacity.value); this.#applyLayers() },
    })
    const dim = h('input', {
      type: 'checkbox', checked: settings.dim, onchange: () => { settings.dim = dim.checked; this.#applyLayers() },
    })
    const element = h(
      'div', {}, list, h('label.field', {}, t('opacity'), opacity), h('label.check', {}, dim, t('dim')))
    return { element, close() {} }
  }

  #applyLayers() {
    this.#preview.setOutline(settings.outline, { opacity: settings.opacity / 100, dims: settings.dim })
    this.#preview.mirrored = settings.mirror
    this.#preview.grid = settings.grid
    const chosen = settings.ghostStill ? { still: settings.ghostStill } : this.#lastPicture
    const picture = settings.ghost ? chosen : null
    this.#preview.setGhost(picture && (picture.url ?? address(`stills/${picture.still}`)))
  }

  #drawState() {
    // The stream itself shows the fault of a lost camera; this one is for screen readers, and before the first picture.
    this.#preview.showFault()
    this.#askControls()
    this.#recording.draw()
    if (this.#recording.hasClips !== Boolean(this.#tool('video'))) this.#drawTools()
  }

  // --- Keys

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
    if (event.target.closest?.('input, select, textarea, [role=radio]')) return
    const onButton = event.target.closest?.('button, a')
    const action = {
      ' ': () => !onButton && this.#snap(), d: () => (this.#countdown.isRunning ? this.#callOff() : this.#snap({ delay: `${settings.delay}s` })),
      o: () => this.#tool('outline').click(), m: () => this.#tool('mirror').click(),
      g: () => this.#tool('ghost').click(), Escape: () => this.#countdown.isRunning && this.#callOff(),
    }[event.key]
    if (!action) return
    if (event.key === ' ' && onButton) return
    event.preventDefault()
    action()
  }
}

// Part of gst-capture. Apache License 2.0, see LICENSE.

import { ClipMark } from './clip-mark.js'
import { Countdown } from './countdown.js'
import { fill, h } from './dom.js'
import { attempt, confirm, show, showError } from './messages.js'
import { placePicture } from './placing.js'
import { Preview } from './preview.js'
import { bringScene, consentScene, formScene, reviewScene, stageTitle, translated, tutorialScene } from './scenes.js'
import { get, post, send } from './service.js'
import { settings } from './settings.js'
import { state } from './state.js'
import { has, serviceText, t } from './words.js'

/** The key under which the browser keeps the session that it has begun without a camera. */
const withoutCameraKey = 'session-without-camera'

/** Returns the key of the words for a hint of the service. */
const hintKey = (hint) => `hint.${hint.replaceAll(' ', '-')}`

/**
 * A guided session: its consent and its fields, its tutorial, its stages with their outlines, and its review. The
 * service runs the session; this shows its state, and sends the inputs of the user.
 *
 * `ended` follows the end of a run, with `ending` and `run` in its `detail`.
 */
export class SessionView extends EventTarget {
  #id
  #resumed
  #isKiosk
  /** The session with its texts in the language of the page. */
  #session = null
  #run = null
  /** The run as it was last known, also after its end. */
  #lastRun = null
  #hasEnded = false
  /** Counts the states that were read. */
  #readings = 0
  #gates = new Map()
  #preview = new Preview()
  #countdown = new Countdown()
  #clipMark = new ClipMark()
  #prompt = h('p.prompt', { role: 'status', 'aria-live': 'polite' })
  #hint = h('p.hint', { role: 'status', 'aria-live': 'polite', hidden: true })
  #progress = h('ol.progress', { 'aria-label': t('session.progress') })
  #body = h('div.session-body')
  #buttons = h('div.session-buttons')
  #events = new AbortController()
  #shownButtons = null
  /** When the buttons changed, in milliseconds. */
  #firstMoments = new FirstMoments()
  element

  /**
   * @param {string} id The session.
   * @param {Object} [options] `run` is a run to resume; `isKiosk` is `true` for strangers at a screen.
   */
  constructor(id, { run, isKiosk = false } = {}) {
    super()
    this.#id = id
    this.#resumed = run
    this.#isKiosk = isKiosk
    this.#countdown.sound = settings.sound
    this.#preview.over.append(this.#prompt, this.#hint, this.#countdown.element, this.#clipMark.element)
    this.#preview.mirrored = settings.mirror || isKiosk
    this.#preview.addEventListener('press', () => this.#press())
    this.element = h('div.session-view', {}, h('h1.unseen', {}, t('session')), this.#progress, this.#body, this.#buttons)
    const { signal } = this.#events
    for (const kind of ['phase', 'stage', 'captured', 'removed', 'review', 'stage-done', 'skipped', 'camera', 'recovered']) {
      this.#on(kind, () => this.#refresh())
    }
    this.#on('countdown', (event) => this.#countdown.count(state.localTime(event.at) + event.remaining_ms, event.remaining_ms))
    this.#on('recording', (event) => this.#clipMark.show(state.localTime(event.at) + event.remaining_ms))
    this.#on('gate', (event) => this.#gate(event))
    this.#on('captured', ({ picture }) => picture.duration_ms || this.#preview.flash())
    this.#on('aborted', (event) => show(t('session.aborted', { reason: serviceText(event.message) }), { isFault: true }))
    this.#on('failed', (event) => this.#failed(event.error))
    this.#on('lost', (event) => this.#preview.setFault(serviceText(event.error.message)))
    this.#on('recovered', () => this.#preview.setFault(null))
    this.#on('filled', ({ fields }) => this.#filled(fields))
    this.#on('finished', (event) => this.#finished(event))
    state.addEventListener('change', () => state.lostAt === null && this.#refresh(), { signal })
    document.addEventListener('keydown', (event) => this.#key(event), { signal })
    this.#refresh()
  }

  close() {
    this.#events.abort()
    this.#countdown.stop()
    this.#clipMark.hide()
    this.#preview.close()
  }

  #on(kind, handle) {
    state.addEventListener(kind, ({ detail }) => detail.session === this.#id && handle(detail), { signal: this.#events.signal })
  }

  #isReading = false
  #readsAgain = false

  /** Reads the session, and draws it. Requests while it is being read are answered by one further reading. */
  async #refresh() {
    if (this.#isReading) {
      this.#readsAgain = true
      return
    }
    this.#isReading = true
    do {
      this.#readsAgain = false
      await attempt(async () => {
        this.#accept(await get(`sessions/${this.#id}`))
      })
    } while (this.#readsAgain)
    this.#isReading = false
    if (this.#session && !this.#events.signal.aborted) this.#draw()
  }

  #accept(session) {
    this.#readings += 1
    this.#session = translated(session)
    this.#run = session.run
    this.#lastRun = session.run ?? this.#lastRun
  }

  /** Sends a request, and draws the state after it. Returns `false` if it failed. */
  async #request(action, query, options = {}) {
    let isDone = false
    await attempt(async () => {
      try {
        const readings = this.#readings
        const session = await (await send('POST', `sessions/${this.#id}/${action}`, { query, ...options })).json()
        isDone = true
        // A newer state may have come before the response.
        if (readings !== this.#readings) return void this.#refresh()
        this.#accept(session)
        this.#draw()
      } catch (error) {
        if (error.status !== 409) throw error
        show(has(`refusal.${error.reason}`) ? t(`refusal.${error.reason}`) : serviceText(error.message), { isFault: true })
      }
    })
    return isDone
  }

  // --- Drawing

  #draw() {
    const phase = this.#run?.phase ?? 'none'
    // The picture, or the recorder of a clip, is requested before the end of the countdown.
    if (!['counting', 'capturing'].includes(phase)) this.#countdown.stop()
    if (phase !== 'recording') this.#clipMark.hide()
    if (this.#isKiosk && phase === 'none') return this.#missEnd()
    if (!['waiting', 'counting'].includes(phase)) this.#clearHint()
    this.#drawProgress()
    this.#drawButtons(phase)
    const scene = {
      consent: () => consentScene(this.#session), tutorial: () => tutorialScene(this.#session, this.#run.page ?? 0),
      form: () => formScene(this.#session, this.#run.fields ?? {}),
      review: () => reviewScene(this.#session, this.#run, (picture) => this.#request('retake', { picture })),
    }[phase]
    if (scene) return this.#drawScene(scene(), phase === 'form' && this.#session.fields.some(({ scan }) => scan))
    if (phase === 'none') return this.#drawBegin()
    this.#drawStage(phase)
  }

  /** Draws a scene in place of the picture. One that is shown already stays: the user may be typing. */
  #drawScene({ key, element }, showsCamera) {
    if (this.#body.dataset.shown === key) return
    this.#body.dataset.shown = key
    if (!showsCamera) return fill(this.#body, element)
    // The person shows a code to the camera.
    this.#showCamera(Object.keys(this.#session.cameras)[0])
    this.#preview.setOutline(null)
    fill(this.#prompt, t('session.scan'))
    fill(this.#body, h('div.scanning', {}, this.#preview.element, element))
  }

  #drawProgress() {
    fill(this.#progress, (this.#session.stages).map((stage) => {
      const progress = this.#run?.stages.find((other) => other.name === stage.name)
      const isCurrent = this.#run?.stage === stage.name
      return h('li', { 'aria-current': isCurrent ? 'step' : null, class: progress?.state ?? 'open' }, stageTitle(stage))
    }))
  }

  #drawBegin() {
    this.#showCamera(Object.keys(this.#session.cameras)[0])
    const first = this.#session.stages[0]
    this.#preview.setOutline(first?.outline ?? null, { ofSession: true })
    fill(this.#prompt, this.#session.title)
    this.#preview.showFault()
    this.#showPreview()
  }

  #drawStage(phase) {
    const stage = this.#session.stages.find((other) => other.name === this.#run.stage) ?? this.#session.stages[0]
    if (this.#isWithoutCamera) return this.#drawBringing(phase, stage)
    this.#showCamera(this.#run.role ?? Object.keys(this.#session.cameras)[0])
    this.#preview.setOutline(stage.outline ?? null, { ofSession: true })
    const text = { ready: this.#session.title, switching: t('session.switching'), capturing: t('session.capturing'), 'stage-done': t('session.stageDone') }
    fill(this.#prompt, phase === 'capturing' && stage.clip_ms ? stage.prompt : text[phase] ?? stage.prompt)
    this.#showPreview()
  }

  /** A run without a camera shows no live picture, which would open the camera. */
  #drawBringing(phase, stage) {
    this.#preview.hide()
    this.#drawScene(bringScene(stage, { ready: this.#session.title, 'stage-done': t('session.stageDone') }[phase] ?? stage.prompt))
  }

  /** `true` for a run that this browser has begun without a camera. */
  get #isWithoutCamera() {
    return sessionStorage.getItem(withoutCameraKey) === this.#id
  }

  #showPreview() {
    if (this.#preview.element.parentNode === this.#body) return
    this.#body.dataset.shown = 'preview'
    fill(this.#body, this.#preview.element)
  }

  #showCamera(role) {
    const camera = this.#session.cameras[role]
    if (camera) this.#preview.show(camera)
  }

  /** The buttons of a phase: their actions, texts and classes. */
  #buttonsOf(phase) {
    const stage = this.#session.stages.find((other) => other.name === this.#run?.stage)
    const isOpen = ['armed', 'waiting', 'ready'].includes(phase)
    const main = {
      none: ['start', t('session.start')], ready: ['capture', t('session.ready')], consent: ['capture', t('session.agree')],
      form: ['fill', t('next')], tutorial: ['capture', t('next')],
      armed: ['capture', t(stage?.clip_ms ? 'session.record' : 'session.capture')], recording: ['capture', t('session.endClip')],
      waiting: ['capture', t('session.waiting')], 'stage-done': ['capture', t('next')],
      review: ['accept', t('session.accept')],
    }[phase]
    const hasCamera = Object.keys(this.#session.cameras).length > 0
    return [
      phase === 'review' && ['discard', t('session.discard'), ''],
      this.#run && !['review', 'counting', 'recording'].includes(phase) && ['cancel', t(phase === 'consent' ? 'session.decline' : 'cancel'), '.plain'],
      phase === 'counting' && ['abort', t('stop'), '.stop'],
      phase === 'recording' && ['abort', t('session.discardClip'), '.stop'],
      main && (hasCamera || phase !== 'armed') && [...main, '.primary.large'],
      phase === 'none' && !this.#isKiosk && !this.#session.stages.some(({ clip_ms }) => clip_ms) && ['library', t('session.startLibrary'), ''],
      !this.#isKiosk && !stage?.clip_ms && ['switching', 'armed', 'waiting'].includes(phase) && ['bring', t('session.bring'), ''],
      (phase === 'tutorial' || stage?.skippable && isOpen) && ['skip', t('skip'), ''],
      this.#run && Object.keys(this.#session.cameras).length > 1 && isOpen && ['switch-camera', t('switch'), ''],
    ].filter(Boolean)
  }

  /** Draws the buttons of another phase. Those that are there stay: the user may just be pressing one. */
  #drawButtons(phase) {
    if (!state.may('kiosk')) return fill(this.#buttons, h('p.quiet', {}, t('session.viewOnly')))
    const buttons = this.#buttonsOf(phase)
    const key = JSON.stringify(buttons)
    if (key === this.#shownButtons) return
    this.#shownButtons = key
    this.#firstMoments.begin()
    const focused = document.activeElement?.dataset?.action
    fill(this.#buttons, buttons.map(([action, text, kind]) =>
      h(`button${kind}`, { onclick: () => this.#perform(action), 'data-action': action }, text)))
    if (focused) this.#buttons.querySelector(`[data-action="${focused}"]`)?.focus()
  }

  // --- Inputs

  #perform(action) {
    if (this.#isKiosk && this.#firstMoments.areNow) return
    const own = {
      start: () => this.#start(), library: () => this.#start({ camera: 'no' }), cancel: () => this.#cancel(),
      discard: () => this.#discard(), bring: () => this.#bring(), fill: () => this.#fill(),
    }[action]
    return own ? own() : this.#request(action)
  }

  async #start(query = {}) {
    const run = this.#resumed
    this.#resumed = undefined
    this.#gates.clear()
    if (query.camera === 'no') sessionStorage.setItem(withoutCameraKey, this.#id)
    else sessionStorage.removeItem(withoutCameraKey)
    await this.#request('start', { run, ...query })
  }

  /** Brings in a picture that the user chooses, and first places under the outline of a stage that crops. */
  async #bring() {
    const stage = this.#session.stages.find((other) => other.name === this.#run.stage)
    const placed = await attempt(async () => {
      const { choosePicture, fileOf } = await import('./choose-picture.js')
      const chosen = await choosePicture()
      return chosen && placePicture(stage, await fileOf(chosen))
    })
    if (placed) await this.#request('upload', placed.query, { file: placed.file })
  }

  /** Sends the form; the browser shows which fields are wrong. */
  async #fill() {
    const form = this.#body.querySelector('form')
    if (!form.reportValidity()) return
    const values = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''))
    if (!Object.keys(values).length || await this.#request('fill', {}, { json: values })) await this.#request('capture')
  }

  async #discard() {
    if (await confirm(t('session.discardQuestion', { count: this.#run.pictures.length }), t('session.discard'))) await this.#request('discard')
  }

  async #cancel() {
    const count = this.#run.pictures.length
    if (count === 0 || await confirm(t('session.cancelQuestion', { count }), t('session.cancelNow'))) await this.#request('cancel')
  }

  /** A touch of the picture continues, as the space bar does. */
  #press() {
    this.#buttons.querySelector('.primary')?.click()
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
    if (event.target.closest?.('input, select, textarea, button, a, summary')) return
    const actions = { ' ': 'primary', Enter: 'primary', s: 'skip', x: 'abort', c: 'switch-camera', a: 'accept', d: 'discard', q: 'cancel' }
    const action = actions[event.key]
    const button = action === 'primary' ? this.#buttons.querySelector('.primary') : this.#buttons.querySelector(`[data-action="${action}"]`)
    if (!button) return
    event.preventDefault()
    button.click()
  }

  // --- Events

  /** Shows why a picture failed; the hint of a gate that rejected it in the language of the page. */
  #failed(error) {
    const hint = hintKey(error.advice ?? '')
    if (has(hint)) show(t('session.rejected', { hint: t(hint) }), { isFault: true })
    else showError(error)
  }

  #gate({ gate, holds, hint, off, reason }) {
    if (holds || off) this.#gates.delete(gate)
    else this.#gates.set(gate, hint ? t(hintKey(hint)) : reason ?? gate)
    fill(this.#hint, [...this.#gates.values()][0] ?? '')
    this.#hint.hidden = this.#gates.size === 0
  }

  /** Shows the values that a code has filled in. The event has only the names, because it is kept for later listeners. */
  async #filled(names) {
    await attempt(async () => {
      const values = (await get(`sessions/${this.#id}`)).run?.fields ?? {}
      for (const name of names) {
        const control = this.#body.querySelector(`form.scene [name="${name}"]`)
        if (control && values[name] !== undefined) control.value = values[name]
      }
    })
  }

  #clearHint() {
    this.#gates.clear()
    this.#hint.hidden = true
  }

  #finished({ ending, error }) {
    sessionStorage.removeItem(withoutCameraKey)
    if (error) showError(error)
    else if (!this.#isKiosk) show(t(`session.ended.${ending}`))
    this.#end(ending)
    if (!this.#isKiosk) this.#refresh()
  }

  #end(ending) {
    if (this.#isKiosk && this.#hasEnded) return
    this.#hasEnded = true
    this.dispatchEvent(new CustomEvent('ended', { detail: { ending, run: this.#lastRun } }))
  }

  /** Ends a session whose event of the end does not come, because the service was restarted. */
  #missEnd() {
    setTimeout(() => { if (!this.#events.signal.aborted) this.#end('left') }, 3000)
  }
}

/** The first moments of a screen of a kiosk, in which a second tap of a stranger belongs to the button that was there before. */
export class FirstMoments {
  #start = 0

  begin() {
    this.#start = performance.now()
  }

  get areNow() {
    return performance.now() - this.#start < 400
  }
}

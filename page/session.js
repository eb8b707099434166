// Part of gst-capture. Apache License 2.0, see LICENSE.

import { Countdown } from './countdown.js'
import { fill, h, symbol } from './dom.js'
import { attempt, confirm, show, showError } from './messages.js'
import { Preview } from './preview.js'
import { address, get, post } from './service.js'
import { settings } from './settings.js'
import { state } from './state.js'
import { has, t } from './words.js'

/**
 * A guided session: its tutorial, its stages with their outlines, and its review. The service runs the session; this
 * shows its state, and sends the inputs of the user.
 *
 * @param {string} id The session.
 * @param {string} [run] A run to resume.
 */
export function sessionView(id, run) {
  return new SessionView(id, run)
}

class SessionView {
  #id
  #resumed
  #session = null
  #run = null
  #gates = new Map()
  #preview = new Preview()
  #countdown = new Countdown()
  #prompt = h('p.prompt', { role: 'status', 'aria-live': 'polite' })
  #hint = h('p.hint', { role: 'status', 'aria-live': 'polite', hidden: true })
  #progress = h('ol.progress', { 'aria-label': t('session.progress') })
  #body = h('div.session-body')
  #buttons = h('div.session-buttons')
  #events = new AbortController()
  #shownButtons = null
  element

  constructor(id, run) {
    this.#id = id
    this.#resumed = run
    this.#countdown.sound = settings.sound
    this.#preview.over.append(this.#prompt, this.#hint, this.#countdown.element)
    this.#preview.mirrored = settings.mirror
    this.#preview.addEventListener('press', () => this.#press())
    this.element = h('div.session-view', {}, h('h1.unseen', {}, t('session')), this.#progress, this.#body, this.#buttons)
    const { signal } = this.#events
    for (const kind of ['phase', 'stage', 'captured', 'removed', 'review', 'stage-done', 'skipped', 'camera', 'recovered']) {
      this.#on(kind, () => this.#refresh())
    }
    this.#on('countdown', (event) => this.#countdown.count(state.localTime(event.at) + event.remaining_ms, event.remaining_ms))
    this.#on('gate', (event) => this.#gate(event))
    this.#on('captured', () => this.#preview.flash())
    this.#on('aborted', (event) => show(t('session.aborted', { reason: event.message }), { isFault: true }))
    this.#on('failed', (event) => showError(event.error))
    this.#on('lost', (event) => this.#preview.setFault(event.error.message))
    this.#on('recovered', () => this.#preview.setFault(null))
    this.#on('finished', (event) => this.#finished(event))
    state.addEventListener('change', () => state.lostAt === null && this.#refresh(), { signal })
    document.addEventListener('keydown', (event) => this.#key(event), { signal })
    this.#refresh()
  }

  close() {
    this.#events.abort()
    this.#countdown.stop()
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
        this.#session = await get(`sessions/${this.#id}`)
        this.#run = this.#session.run
      })
    } while (this.#readsAgain)
    this.#isReading = false
    if (this.#session) this.#draw()
  }

  async #request(action, query) {
    await attempt(async () => {
      try {
        this.#session = await (await post(`sessions/${this.#id}/${action}`, query)).json()
        this.#run = this.#session.run
        this.#draw()
      } catch (error) {
        if (error.status !== 409) throw error
        show(has(`refusal.${error.reason}`) ? t(`refusal.${error.reason}`) : error.message, { isFault: true })
      }
    })
  }

  // --- Drawing

  #draw() {
    const phase = this.#run?.phase ?? 'none'
    if (phase !== 'counting') this.#countdown.stop()
    if (!['waiting', 'counting'].includes(phase)) this.#clearHint()
    this.#drawProgress()
    this.#drawButtons(phase)
    if (phase === 'none') return this.#drawBegin()
    if (phase === 'tutorial') return this.#drawTutorial()
    if (phase === 'review') return this.#drawReview()
    this.#drawStage(phase)
  }

  #drawProgress() {
    fill(this.#progress, (this.#session.stages).map((stage) => {
      const progress = this.#run?.stages.find((other) => other.name === stage.name)
      const isCurrent = this.#run?.stage === stage.name
      return h('li', { 'aria-current': isCurrent ? 'step' : null, class: progress?.state ?? 'open' }, stage.name)
    }))
  }

  #drawBegin() {
    this.#showCamera(Object.keys(this.#session.cameras)[0])
    const first = this.#session.stages[0]
    this.#preview.setOutline(first?.outline ?? null)
    fill(this.#prompt, this.#session.title)
    this.#showPreview()
  }

  #drawTutorial() {
    const index = this.#run.page ?? 0
    const outline = this.#session.stages[Math.min(index, this.#session.stages.length - 1)]?.outline
    if (this.#body.dataset.shown === `tutorial ${index}`) return
    this.#body.dataset.shown = `tutorial ${index}`
    fill(
      this.#body, h('section.tutorial.card', {}, h('p.quiet', {}, t('session.page', { page: index + 1, of: this.#session.tutorial.length })),
        outline && h('img', { src: address(`outlines/${outline}/render`, { width: 480, height: 480 }), alt: '' }),
        h('p.large', { role: 'status' }, this.#session.tutorial[index] ?? '')))
  }

  #drawStage(phase) {
    const stage = this.#session.stages.find((other) => other.name === this.#run.stage) ?? this.#session.stages[0]
    this.#showCamera(this.#run.role ?? Object.keys(this.#session.cameras)[0])
    this.#preview.setOutline(stage.outline ?? null)
    const text = { ready: this.#session.title, switching: t('session.switching'), capturing: t('session.capturing'), 'stage-done': t('session.stageDone') }
    fill(this.#prompt, text[phase] ?? stage.prompt)
    this.#showPreview()
  }

  #showPreview() {
    if (this.#body.contains(this.#preview.element)) return
    this.#body.dataset.shown = 'preview'
    fill(this.#body, this.#preview.element)
  }

  #showCamera(role) {
    const camera = this.#session.cameras[role]
    if (camera) this.#preview.show(camera)
  }

  #drawReview() {
    const key = `review ${this.#run.pictures.map((picture) => picture.number).join(',')}`
    if (this.#body.dataset.shown === key) return
    this.#body.dataset.shown = key
    fill(this.#body, h('div.review', {}, this.#run.pictures.map((picture) => this.#reviewCell(picture))))
  }

  #reviewCell(picture) {
    const url = address(`sessions/${this.#id}/runs/${this.#run.id}/pictures/${picture.number}`)
    return h(
      'figure', {}, h('a', { href: url, target: '_blank', rel: 'noopener' }, h('img', { src: url, alt: t('session.pictureOf', { stage: picture.stage }) })),
      h('figcaption', {}, h('span', {}, picture.stage),
        state.may('capture') && h('button', { 'aria-label': t('session.retakePicture', { stage: picture.stage }), onclick: () => this.#request('retake', { picture: picture.number }) }, symbol('retake'), t('session.retake'))))
  }

  /** The buttons of a phase: their actions, texts and classes. */
  #buttonsOf(phase) {
    const stage = this.#session.stages.find((other) => other.name === this.#run?.stage)
    const isOpen = ['armed', 'waiting', 'ready'].includes(phase)
    const main = {
      none: ['start', t('session.start')], ready: ['capture', t('session.ready')], tutorial: ['capture', t('next')],
      armed: ['capture', t('session.capture')], waiting: ['capture', t('session.waiting')],
      'stage-done': ['capture', t('next')], review: ['accept', t('session.accept')],
    }[phase]
    return [
      phase === 'review' && ['discard', t('session.discard'), ''],
      this.#run && !['review', 'counting'].includes(phase) && ['cancel', t('cancel'), '.plain'],
      phase === 'counting' && ['abort', t('stop'), '.stop'],
      main && [...main, '.primary.large'],
      (phase === 'tutorial' || stage?.skippable && isOpen) && ['skip', t('skip'), ''],
      this.#run && Object.keys(this.#session.cameras).length > 1 && isOpen && ['switch-camera', t('switch'), ''],
    ].filter(Boolean)
  }

  /** Draws the buttons of another phase. Those that are there stay: the user may just be pressing one. */
  #drawButtons(phase) {
    if (!state.may('capture')) return fill(this.#buttons, h('p.quiet', {}, t('session.viewOnly')))
    const buttons = this.#buttonsOf(phase)
    const key = JSON.stringify(buttons)
    if (key === this.#shownButtons) return
    this.#shownButtons = key
    const focused = document.activeElement?.dataset?.action
    fill(this.#buttons, buttons.map(([action, text, kind]) =>
      h(`button${kind}`, { onclick: () => this.#perform(action), 'data-action': action }, text)))
    if (focused) this.#buttons.querySelector(`[data-action="${focused}"]`)?.focus()
  }

  // --- Inputs

  #perform(action) {
    const own = { start: () => this.#start(), cancel: () => this.#cancel(), discard: () => this.#discard() }[action]
    return own ? own() : this.#request(action)
  }

  #start() {
    const run = this.#resumed
    this.#resumed = undefined
    this.#gates.clear()
    return this.#request('start', { run })
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

  #gate({ gate, holds, hint, off, reason }) {
    if (holds || off) this.#gates.delete(gate)
    else this.#gates.set(gate, hint ? t(`hint.${hint.replaceAll(' ', '-')}`) : reason ?? gate)
    fill(this.#hint, [...this.#gates.values()][0] ?? '')
    this.#hint.hidden = this.#gates.size === 0
  }

  #clearHint() {
    this.#gates.clear()
    this.#hint.hidden = true
  }

  #finished({ ending, error }) {
    if (error) showError(error)
    else show(t(`session.ended.${ending}`))
    this.#refresh()
  }
}

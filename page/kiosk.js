// Part of gst-capture. Apache License 2.0, see LICENSE.

import { pictureElement } from './clip-mark.js'
import { drawing, fill, h } from './dom.js'
import { messages, show, showError } from './messages.js'
import { Preview } from './preview.js'
import { translated } from './scenes.js'
import { FirstMoments, SessionView } from './session.js'
import { address, get, post } from './service.js'
import { state } from './state.js'
import { has, language, languages, longSpanText, serviceText, setLanguage, t, timeText } from './words.js'

/** How long the last screen stays, in milliseconds. */
const resultTime = 60000
/** The time without a touch after which the inviting screen closes the camera, for sessions without a limit. */
const idleTime = 60000

/**
 * A session for strangers in full screen: an inviting screen, the session, the result, and again from the start.
 *
 * Nothing of a person stays for the next one: each screen is removed as a whole, and the service cancels an
 * idle session.
 */
export class Kiosk {
  #id
  #session = null
  /** What is shown, with `close()`. */
  #screen = { close() {} }
  #main = h('main.kiosk-main')
  #fault = h('div.banner', { role: 'status', hidden: true })
  #isStarting = false
  #firstMoments = new FirstMoments()
  /** The language for the next person. */
  #language = language()

  /** @param {string} id The session. */
  constructor(id) {
    this.#id = id
    document.body.classList.add('kiosk')
    document.body.replaceChildren(this.#fault, this.#main, messages)
    document.addEventListener('contextmenu', (event) => event.preventDefault())
    state.addEventListener('change', () => this.#drawFault())
    state.addEventListener('phase', ({ detail }) => detail.session === this.#id && this.#begun(detail.phase))
    setInterval(() => this.#drawFault(), 1000)
    this.#open()
  }

  /** Continues the session if it is running, for example after the browser was restarted. */
  async #open() {
    try {
      this.#session = await get(`sessions/${this.#id}`)
    } catch (error) {
      fill(this.#main, h('p.message', {}, error.status === 404 ? t('kiosk.unknown', { session: this.#id }) : serviceText(error.message)))
      return
    }
    if (this.#session.run) this.#run()
    else this.#invite()
  }

  #change(screen) {
    this.#screen.close()
    this.#screen = screen
    this.#firstMoments.begin()
    Object.assign(this.#main.dataset, { screen: screen.name, idle: false })
    fill(this.#main, screen.element)
  }

  // --- The inviting screen

  #invite() {
    this.#isStarting = false
    const session = translated(this.#session)
    const preview = new Preview({ fps: 15 })
    preview.mirrored = true
    preview.setOutline(session.stages[0].outline, { ofSession: true })
    const begin = h('button.primary.large', { 'data-action': 'begin', onclick: () => this.#begin(begin) }, t('kiosk.begin'))
    const words = h('div.row.kiosk-words', {}, h('h1', {}, session.title), session.purpose && h('p.large', {}, session.purpose))
    preview.addEventListener('press', () => this.#begin(begin))
    const idle = new Idle(this.#session.idle_ms ?? idleTime, (isIdle) => {
      // Without a user, the camera can be closed.
      this.#main.dataset.idle = isIdle
      if (isIdle) preview.hide()
      else preview.show(this.#camera)
    })
    preview.show(this.#camera)
    preview.showFault()
    const events = new AbortController()
    state.addEventListener('change', () => preview.showFault(), { signal: events.signal })
    this.#change({
      name: 'invite', element: h('div.kiosk-screen', {}, preview.element, words, h('div.session-buttons', {}, begin, this.#languages())),
      close() { idle.close(); events.abort(); preview.close() },
    })
  }

  /** The ID of the first camera. */
  get #camera() {
    return Object.values(this.#session.cameras)[0]
  }

  /** A button for each language of the page that the session has, too. */
  #languages() {
    const tags = [this.#session.language, ...Object.keys(this.#session.languages)].filter((tag) => tag in languages)
    if (tags.length < 2) return null
    return h('div.row', { role: 'group', 'aria-label': 'Language, Sprache' }, tags.map((tag) => h(
      'button.plain', { lang: tag, 'aria-pressed': String(tag === language()), onclick: () => { setLanguage(tag); this.#invite() } }, languages[tag].language)))
  }

  async #begin(button) {
    if (this.#isStarting || this.#firstMoments.areNow) return
    this.#isStarting = true
    button.disabled = true
    if (navigator.userActivation?.isActive && !matchMedia('(display-mode: fullscreen)').matches) document.documentElement.requestFullscreen?.().catch(() => {})
    try {
      await post(`sessions/${this.#id}/start`, { kiosk: 'yes' })
      await post(`sessions/${this.#id}/capture`)
    } catch (error) {
      // Another screen or a buzzer may have begun the session.
      if (error.status !== 409) {
        showError(error)
        this.#isStarting = false
        button.disabled = false
        return
      }
    }
    this.#run()
  }

  // --- The session

  /** Shows a session that a buzzer has begun. */
  #begun(phase) {
    const isFree = ['invite', 'result'].includes(this.#screen.name) && !this.#isStarting
    if (isFree && ['ready', 'consent', 'form', 'tutorial', 'switching'].includes(phase)) this.#run()
  }

  #run() {
    const view = new SessionView(this.#id, { isKiosk: true })
    view.addEventListener('ended', ({ detail }) => this.#ended(detail))
    this.#change({ name: 'session', element: view.element, close: () => view.close() })
  }

  #ended({ ending, run }) {
    if (ending === 'accepted' && run?.pictures.length) return this.#showResult(run)
    if (ending !== 'accepted') show(t(`kiosk.ended.${ending}`))
    this.#inviteNext()
  }

  /** Invites the next person, who may speak another language. */
  #inviteNext() {
    setLanguage(this.#language)
    this.#invite()
  }

  // --- The result

  #showResult(run) {
    const end = Date.now() + resultTime
    const left = h('p.quiet')
    const code = h('div.kiosk-code', { hidden: true })
    const draw = () => (Date.now() < end ? fill(left, t('kiosk.left', { span: longSpanText(end - Date.now()) })) : this.#inviteNext())
    const timer = setInterval(draw, 1000)
    const pictures = h('div.review', { tabindex: '0' })
    this.#drawPictures(run, pictures)
    this.#change({
      name: 'result', element: h(
        'div.kiosk-screen.result', {}, h('h1', {}, t('kiosk.thanks')), pictures, code,
        h('div.session-buttons', {}, h('button.primary.large', { 'data-action': 'done', onclick: () => this.#firstMoments.areNow || this.#inviteNext() }, t('kiosk.done')), this.#printButton(run), left)),
      close: () => clearInterval(timer),
    })
    draw()
    if (this.#session.share_ms) this.#drawCode(run, code)
  }

  /** Shows the photo strip of a run, or else its pictures. */
  async #drawPictures(run, element) {
    const path = `sessions/${this.#id}/runs/${run.id}`
    const { results } = await get(path).catch(() => ({ results: [] }))
    const images = results.length
      ? [h('img', { src: address(`${path}/results/${results[0].file.replace('.jpg', '')}`), alt: t('share.strip') })]
      : run.pictures.map((picture) => pictureElement(
        picture, (query) => address(`${path}/pictures/${picture.number}`, query),
        t(picture.duration_ms ? 'session.clipOf' : 'session.pictureOf', { stage: picture.stage })))
    fill(element, images)
  }

  /** A button that prints the pictures, as long as the run may have copies. */
  #printButton(run) {
    if (!this.#session.copies) return null
    const message = h('p.quiet', { role: 'status' })
    const button = h('button', { 'data-action': 'print', onclick: () => print() }, t('kiosk.print'))
    const print = async () => {
      button.disabled = true
      fill(message, t('kiosk.printing'))
      try {
        const { left, printer } = await (await post(`sessions/${this.#id}/runs/${run.id}/print`)).json()
        button.disabled = left === 0
        if (printer) fill(message, printerText(printer) ?? t('kiosk.printed', { count: left }))
      } catch (error) {
        button.disabled = error.status === 429
        const known = { 429: 'kiosk.noCopies', 503: 'kiosk.noPrinter' }[error.status]
        fill(message, known ? t(known) : t('kiosk.notPrinted', { reason: serviceText(error.message) }))
      }
    }
    return [button, message]
  }

  /** Shows a QR code by which the person fetches the pictures. */
  async #drawCode(run, element) {
    try {
      const share = await (await post(`sessions/${this.#id}/runs/${run.id}/share`)).json()
      element.dataset.path = share.path
      if (!share.qr) return
      const svg = drawing(share.qr, share.side, { role: 'img', 'aria-label': t('kiosk.code') })
      fill(element, svg, h('p', {}, t('kiosk.codeText', { time: timeText(share.expires) })))
      element.hidden = false
    } catch (error) {
      showError(error)
    }
  }

  /** Shows a lost connection, or the fault of a camera of the session, in words. */
  #drawFault() {
    const cameras = Object.values(this.#session?.cameras ?? {})
    const fault = state.status?.cameras.find((camera) => camera.error && cameras.includes(camera.id))
    const text = state.lostAt !== null ? t('kiosk.offline') : fault ? t('kiosk.fault', { reason: serviceText(fault.message) }) : ''
    if (this.#fault.textContent === text) return
    fill(this.#fault, text)
    this.#fault.hidden = !text
  }
}

/** Returns why a printer does not print, in words; `null` if it prints. */
function printerText({ state: word, accepting, reasons, message }) {
  const known = reasons.find((reason) => has(`printer.${reason}`))
  if (known) return t(`printer.${known}`)
  return word === 'stopped' || !accepting ? t('kiosk.notPrinted', { reason: message || reasons.join(', ') }) : null
}

/** Watches for touches and keys; calls back when they end for a time, and when they begin again. */
class Idle {
  #events = new AbortController()
  #timer = null
  #isIdle = false

  constructor(time, change) {
    const touched = () => {
      clearTimeout(this.#timer)
      if (this.#isIdle) change(this.#isIdle = false)
      this.#timer = setTimeout(() => change(this.#isIdle = true), time)
    }
    for (const kind of ['pointerdown', 'pointermove', 'keydown']) document.addEventListener(kind, touched, { signal: this.#events.signal })
    touched()
  }

  close() {
    this.#events.abort()
    clearTimeout(this.#timer)
  }
}

// Part of gst-capture. Apache License 2.0, see LICENSE.

import './words-outbox.js'
import { fill, h, refill } from './dom.js'
import { forEachOf } from './library.js'
import { attempt, confirm, show, showError } from './messages.js'
import { get, post } from './service.js'
import { state } from './state.js'
import { bytesText, has, language, momentText, numberText, serviceText, spanText, t, timeText } from './words.js'

const capturePause = 1000
const mostRetried = 1000

/** The targets to which pictures are sent, with those that do not arrive. */
export const outboxView = () => new Outbox()

class Outbox {
  #faults = h('p.fault-line', { role: 'status', hidden: true })
  #list = h('div.cards', {}, h('p.quiet', {}, t('loading')))
  #cards = new Map()
  #events = new AbortController()
  #ticks = setInterval(() => this.#cards.forEach((card) => card.tick()), 1000)
  #timer = null
  #isReading = false
  #isStale = false
  element = h('div.outbox-view', {}, h('h1', {}, t('outbox')), this.#faults, this.#list)

  constructor() {
    const { signal } = this.#events
    state.addEventListener('outbox', () => this.#read(), { signal })
    // A new picture waits already before the sender has seen it.
    state.addEventListener('captured', () => { this.#timer ??= setTimeout(() => this.#read(), capturePause) }, { signal })
    this.#read()
  }

  close() {
    this.#events.abort()
    clearInterval(this.#ticks)
    clearTimeout(this.#timer)
  }

  /** Reads the targets, and again if they have changed meanwhile. */
  async #read() {
    this.#timer = null
    this.#isStale = true
    if (this.#isReading) return
    this.#isReading = true
    while (this.#isStale && !this.#events.signal.aborted) {
      this.#isStale = false
      await attempt(async () => this.#draw(await readTargets()))
    }
    this.#isReading = false
  }

  #draw({ targets, faults }) {
    fill(this.#faults, faults.map(serviceText).join(' '))
    this.#faults.hidden = !faults.length
    for (const target of targets) {
      if (!this.#cards.has(target.target)) this.#cards.set(target.target, new TargetCard(target.target))
      this.#cards.get(target.target).draw(target)
    }
    // The targets stay the same until the service starts again.
    if (this.#list.childElementCount !== targets.length || !this.#list.querySelector('article')) {
      fill(this.#list, targets.map(({ target }) => this.#cards.get(target).element))
    }
  }
}

/** Returns the targets with their dead pictures. */
async function readTargets() {
  const { targets, faults } = await get('outbox')
  const jobs = (target) => (target.dead ? get(`outbox/targets/${target.target}/jobs`, { state: 'dead' }) : { jobs: [] })
  return { faults, targets: await Promise.all(targets.map(async (target) => ({ ...target, ...await jobs(target) }))) }
}

class TargetCard {
  #id
  #target = null
  #key = null
  #oldest = h('dd')
  element

  constructor(id) {
    this.#id = id
    this.element = h('article.card.target', { 'aria-labelledby': `target-${id}`, 'data-target': id })
  }

  /** Shows the target. The focus stays on its control, and goes to the title if the control is gone. */
  draw(target) {
    const key = JSON.stringify(target)
    if (key === this.#key) return
    this.#key = key
    this.#target = target
    const hasFocus = this.element.contains(document.activeElement)
    refill(this.element, this.#head(), this.#fault(), this.#facts(), this.#buttons(), this.#dead())
    if (hasFocus && !this.element.contains(document.activeElement)) this.element.querySelector('h2').focus()
    this.tick()
  }

  tick() {
    const { oldest } = this.#target
    if (oldest) fill(this.#oldest, t('outbox.oldestText', { span: spanText(Date.now() - state.localTime(oldest)) }))
  }

  get #isFailing() {
    return !['ready', 'paused', 'closed'].includes(this.#target.state)
  }

  #head() {
    const { state: now, waiting, dead } = this.#target
    const idle = now === 'ready' && !waiting
    const word = this.#isFailing ? 'waits' : idle && dead ? 'dead' : now === 'ready' && !idle ? 'sending' : now
    const kind = { waits: 'waiting', dead: 'waiting', sending: 'running' }[word] ?? word
    return h('div.row', {}, h('h2', { id: `target-${this.#id}`, tabindex: '-1' }, this.#id), h(`span.badge.${kind}`, {}, t(`outbox.state.${word}`)))
  }

  #fault() {
    if (!this.#isFailing) return null
    const { state: kind, reason } = this.#target
    const title = has(`outbox.fault.${kind}`) ? t(`outbox.fault.${kind}`) : kind
    const text = reason && serviceText(reason)
    // A reason without a translation is in English.
    const isForeign = text === reason && language() !== 'en'
    return h('p.fault-line', {}, !text ? title : isForeign ? `${title}: ${text}` : text)
  }

  #facts() {
    const { waiting, oldest, sent, 'sent-bytes': bytes, 'last-sent': last, skipped, retry } = this.#target
    const fact = (name, value) => value && [h('dt', {}, t(name)), h('dd', {}, value)]
    const pictures = (count) => t('outbox.count', { count: count === 1 ? 1 : numberText(count, 0) })
    return h(
      'dl', {}, retry && this.#isFailing && fact('outbox.retryAt', timeText(state.localTime(retry))),
      fact('outbox.waiting', pictures(waiting)), oldest && [h('dt', {}, t('outbox.oldest')), this.#oldest],
      fact('outbox.sent', t('outbox.sentText', { pictures: pictures(sent), bytes: bytesText(bytes) })),
      last && fact('outbox.last', momentText(last)), skipped > 0 && fact('outbox.skipped', pictures(skipped)))
  }

  // --- Requests

  #button(name, subject, key, perform) {
    return h('button', { 'data-name': `${key}-${this.#id}`, 'aria-label': `${t(name)}: ${subject}`, onclick: perform }, t(name))
  }

  #buttons() {
    if (!state.may('capture')) return null
    const isPaused = this.#target.state === 'paused'
    const [verb, done] = isPaused ? ['resume', 'outbox.resumed'] : ['pause', 'outbox.paused']
    return h(
      'div.row', {}, this.#isFailing && this.#button('outbox.tryNow', this.#id, 'try', () => this.#request('retry', 'outbox.tried')),
      this.#button(verb, this.#id, 'pause', () => this.#request(verb, done)))
  }

  /** Sends a request of the target to the sender. */
  #request(path, done, values = { target: this.#id }) {
    return attempt(async () => {
      await this.#post(path)
      show(t(done, values))
    })
  }

  #post(path) {
    return post(`outbox/targets/${this.#id}/${path}`)
  }

  // --- Dead pictures

  #dead() {
    const { dead, jobs } = this.#target
    if (!dead) return null
    const more = dead - jobs.length
    return h(
      'section', { 'aria-labelledby': `dead-${this.#id}` },
      h('div.row.dead-head', {}, h('h3', { id: `dead-${this.#id}` }, `${t('outbox.dead')} (${numberText(dead, 0)})`),
        state.may('capture') && dead > 1 && this.#button('outbox.retryAll', this.#id, 'all', () => this.#retryAll())),
      h('ul.jobs', {}, jobs.map((job) => this.#job(job))), more > 0 && h('p.quiet', {}, t('outbox.more', { count: more })))
  }

  #job({ job, kind, file, taken, reason }) {
    const detail = kind === 'erase' ? t('outbox.erase') : momentText(taken)
    return h(
      'li', { 'data-job': job }, h('div', {}, h('strong', {}, file), h('p.quiet', {}, detail), reason && h('p', {}, serviceText(reason))),
      state.may('capture') && h('div.row', {}, this.#button('outbox.retry', file, `retry-${job}`, () => this.#request(`jobs/${job}/retry`, 'outbox.retried', { count: 1 })),
        this.#button('outbox.drop', file, `drop-${job}`, () => this.#drop(job, file))))
  }

  async #drop(job, file) {
    const question = t('outbox.dropQuestion', { file, target: this.#id })
    if (await confirm(question, t('outbox.drop'))) await this.#request(`jobs/${job}/drop`, 'outbox.dropped')
  }

  async #retryAll() {
    await attempt(async () => {
      const { jobs } = await get(`outbox/targets/${this.#id}/jobs`, { state: 'dead', limit: mostRetried })
      const errors = await forEachOf(jobs, ({ job }) => this.#post(`jobs/${job}/retry`))
      if (errors.length) showError(errors[0])
      else show(t('outbox.retried', { count: jobs.length }))
    })
  }
}

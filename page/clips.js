// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, loadStyle, symbol } from './dom.js'
import { attempt, confirm, showError } from './messages.js'
import { clockText } from './recording.js'
import { term } from './search-terms.js'
import { address, get, post, send } from './service.js'
import { state } from './state.js'
import { bytesText, dayText, serviceText, shortMomentText, t } from './words.js'
import './words-clips.js'

loadStyle('clips.css')

/** How many clips a page of the list has. */
const pageLength = 20
/** The types of events that change a list. */
const changes = new Set(['began', 'recorded', 'complete', 'removed', 'repaired', 'gone'])

/**
 * The recordings of a camera: a button for the next one, and the list of clips.
 *
 * @returns {{element: HTMLElement, close: () => void}}
 */
export function clipsPanel(camera) {
  return new Recordings(camera)
}

/**
 * The films of the days of a series.
 *
 * @returns {{element: HTMLElement, close: () => void}}
 */
export function filmList(series) {
  return new ClipList({
    path: `series/${series}/films`, name: series, words: 'films', isChange: ({ event, series: owner, type }) => event === 'film' && owner === series && changes.has(type),
    // The day in the zone of the service.
    title: ({ start }) => dayText(new Date(`${start.slice(0, 10)}T12:00`)),
    facts: filmFacts,
  })
}

/**
 * The films that people have ordered, with the one that is being made, and a form for another one.
 *
 * @param {{series?: string, album?: string}} source what the film shows
 * @returns {{element: HTMLElement, close: () => void}}
 */
export function filmMaker(source) {
  return new FilmMaker(source)
}

class FilmMaker {
  #source
  #events = new AbortController()
  #state = h('div', { role: 'status' })
  #list
  element

  constructor(source) {
    this.#source = source
    this.#list = new ClipList({
      path: 'films', name: 'film', words: 'films', title: ({ start }) => shortMomentText(start), none: 'films.noneMade',
      isChange: ({ event, series, type }) => event === 'film' && !series && changes.has(type), facts: filmFacts,
    })
    this.element = h('div', {}, state.may('capture') && this.#form(), this.#state, this.#list.element)
    state.addEventListener('film', ({ detail }) => { if (!detail.series) this.#changed(detail) }, { signal: this.#events.signal })
    this.#read()
  }

  close() {
    this.#events.abort()
    this.#list.close()
  }

  #form() {
    const length = h('input', { type: 'number', min: 1, max: 3600, value: 20, required: true, inputmode: 'numeric' })
    const [deflicker, time] = ['deflicker', 'time'].map((name) => h('input', { type: 'checkbox', name }))
    const make = async (event) => {
      event.preventDefault()
      await attempt(() => post('film-order', {}, {
        ...this.#source, length_s: Number(length.value), ...(deflicker.checked && { deflicker: true }), ...(time.checked && { time: '%Y-%m-%d %H:%M' }),
      }))
    }
    return h(
      'form', { onsubmit: make },
      h('label.field', {}, t('films.length'), length),
      h('label.check', {}, deflicker, t('films.deflicker')), h('label.check', {}, time, t('films.time')),
      h('button.primary', { 'data-name': 'make-film' }, t('films.make')))
  }

  async #read() {
    await attempt(async () => this.#draw((await get('film-order')).making))
  }

  #changed(event) {
    if (event.type === 'failed') showError(event.error)
    if (event.type === 'making' && event.pictures) this.#draw(event)
    else this.#read()
  }

  #draw(making) {
    fill(
      this.#state, making && h('div.row', {},
        h('progress', { max: making.pictures ?? 1, value: making.done ?? 0, 'aria-label': t('films.making') }),
        t('films.making'),
        state.may('capture') && h('button.plain', { onclick: () => attempt(() => send('DELETE', 'film-order')) }, t('films.cancel'))))
  }
}

const filmFacts = ({ frames, dropped }) =>
  [frames && t('films.pictures', { count: frames }), dropped > 0 && t('films.lacks', { count: dropped })]

/** A list of clips, the newest first, which follows the service's events. */
class ClipList {
  #source
  #events = new AbortController()
  #list = h('ul.clips')
  #more
  #next = null
  element

  constructor(source) {
    this.#source = source
    this.#more = h('button', { hidden: true, onclick: () => this.#read(this.#next) }, t(`${source.words}.more`))
    this.element = h('div', {}, this.#list, this.#more)
    for (const kind of ['clip', 'film']) {
      state.addEventListener(kind, ({ detail }) => { if (source.isChange(detail)) this.#read() }, { signal: this.#events.signal })
    }
    this.#read()
  }

  close() {
    this.#events.abort()
  }

  /** Reads the newest clips, or those after a page. */
  async #read(before = null) {
    try {
      const { clips, next } = await get(this.#source.path, { limit: pageLength, before })
      const cells = clips.filter(({ state }) => ['recording', 'complete', 'repaired'].includes(state)).map((clip) => this.#cell(clip))
      if (before) this.#list.append(...cells)
      else fill(this.#list, cells.length ? cells : h('li.quiet', {}, t(this.#source.none ?? `${this.#source.words}.none`)))
      this.#next = next
      this.#more.hidden = next === null
    } catch (error) {
      showError(error)
    }
  }

  #cell(clip) {
    const { path, name, words } = this.#source
    const file = (name) => address(`${path}/${clip.clip}/${name}`)
    const facts = [
      clip.duration_ms !== null && clockText(clip.duration_ms), clip.bytes !== null && bytesText(clip.bytes),
      clip.state !== 'complete' && t(`clips.${clip.state}`), clip.sound_ms !== null && t('clips.sound'),
      ...this.#source.facts?.(clip) ?? [],
    ]
    const isPlayable = clip.state !== 'recording'
    const title = this.#source.title(clip)
    return h(
      'li.clip', { 'data-clip': clip.clip },
      isPlayable ? player(file('file'), file('poster'), title) : h('div.busy'),
      h('div', {}, h('div', {}, title), h('div.quiet', {}, facts.filter(Boolean).join(' · '))),
      isPlayable && h('a.button.icon', { href: file('file'), download: `${name}-${clip.clip}.mp4`, 'aria-label': t(`${words}.download`) }, symbol('download')),
      isPlayable && state.may('admin') && h('button.icon', { 'aria-label': t(`${words}.remove`), onclick: () => this.#remove(clip, title) }, symbol('remove')))
  }

  async #remove(clip, title) {
    const { path, words } = this.#source
    if (!(await confirm(t(`${words}.removeQuestion`, { title }), t(`${words}.remove`)))) return
    await attempt(() => send('DELETE', `${path}/${clip.clip}`))
  }
}

class Recordings {
  #camera
  #events = new AbortController()
  #controls = h('div.row')
  #list
  /** What the controls show. */
  #shown = ''
  element

  constructor(camera) {
    this.#camera = camera
    const all = h('a', { href: `#pictures/q/${encodeURIComponent(`kind:clip ${term('camera', camera)}`)}` }, t('clips.all'))
    this.#list = new ClipList({
      path: `cameras/${camera}/clips`, name: camera, words: 'clips', title: ({ start }) => shortMomentText(start),
      isChange: ({ event, camera: owner, type }) =>
        event === 'clip' && owner === camera && changes.has(type),
    })
    this.element = h('div', {}, this.#controls, this.#list.element, h('p', {}, all))
    state.addEventListener('change', () => this.#draw(), { signal: this.#events.signal })
    this.#draw()
  }

  close() {
    this.#events.abort()
    this.#list.close()
  }

  #draw() {
    const recording = state.camera(this.#camera)?.recording
    if (!recording) return
    // A button that is replaced loses the focus, and a click that has begun.
    const shown = JSON.stringify([recording.state, recording.error, state.may('capture')])
    if (shown === this.#shown) return
    this.#shown = shown
    const request = (path) => attempt(async () => {
      await post(`cameras/${this.#camera}/${path}`)
      await state.refresh()
    })
    const button = {
      off: ['record', t('clips.record'), '.primary'], recording: ['record/stop', t('clips.stop'), '.stop'],
      armed: ['record/trigger', t('clips.trigger'), '.primary'],
    }[recording.state]
    fill(
      this.#controls,
      state.may('capture') && button && h(`button${button[2]}`, { 'data-name': 'record', onclick: () => request(button[0]) }, button[1]),
      recording.error && h('p.fault', {}, serviceText([recording.error.message, recording.error.advice].filter(Boolean).join('; '))))
  }
}

/** A clip that plays takes the width of the list. */
function player(src, poster, title) {
  const widen = () => video.closest('.clip')?.classList.toggle('wide', !video.paused)
  const video = h('video', { src, poster, controls: true, preload: 'none', 'aria-label': title, onplay: widen, onpause: widen })
  return video
}

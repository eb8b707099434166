// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, loadStyle, symbol } from './dom.js'
import { attempt, confirm, showError } from './messages.js'
import { clockText } from './recording.js'
import { term } from './search-terms.js'
import { address, get, post, send } from './service.js'
import { state } from './state.js'
import { bytesText, serviceText, shortMomentText, t } from './words.js'
import './words-clips.js'

loadStyle('clips.css')

/** How many clips a page of the list has. */
const pageLength = 20

/**
 * The recordings of a camera: a button for the next one, and the list of clips.
 *
 * @returns {{element: HTMLElement, close: () => void}}
 */
export function clipsPanel(camera) {
  return new Clips(camera)
}

class Clips {
  #camera
  #events = new AbortController()
  #controls = h('div.row')
  #list = h('ul.clips')
  #more = h('button', { hidden: true, onclick: () => this.#read(this.#next) }, t('clips.more'))
  #next = null
  /** What the controls show. */
  #shown = ''
  element

  constructor(camera) {
    this.#camera = camera
    const all = h('a', { href: `#pictures/q/${encodeURIComponent(`kind:clip ${term('camera', camera)}`)}` }, t('clips.all'))
    this.element = h('div', {}, this.#controls, this.#list, this.#more, h('p', {}, all))
    const { signal } = this.#events
    state.addEventListener('change', () => this.#draw(), { signal })
    state.addEventListener('clip', ({ detail }) => this.#changed(detail), { signal })
    this.#draw()
    this.#read()
  }

  close() {
    this.#events.abort()
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

  #changed(event) {
    if (event.camera === this.#camera && ['began', 'recorded', 'removed', 'repaired', 'gone'].includes(event.type)) this.#read()
  }

  /** Reads the newest clips, or those after a page. */
  async #read(before = null) {
    try {
      const { clips, next } = await get(`cameras/${this.#camera}/clips`, { limit: pageLength, before })
      const cells = clips.filter(({ state }) => ['recording', 'complete', 'repaired'].includes(state)).map((clip) => this.#cell(clip))
      if (before) this.#list.append(...cells)
      else fill(this.#list, cells.length ? cells : h('li.quiet', {}, t('clips.none')))
      this.#next = next
      this.#more.hidden = next === null
    } catch (error) {
      showError(error)
    }
  }

  #cell(clip) {
    const file = (name) => address(`cameras/${this.#camera}/clips/${clip.clip}/${name}`)
    const facts = [
      clip.duration_ms !== null && clockText(clip.duration_ms), clip.bytes !== null && bytesText(clip.bytes),
      clip.state !== 'complete' && t(`clips.${clip.state}`), clip.sound_ms !== null && t('clips.sound'),
    ]
    const isPlayable = clip.state !== 'recording'
    const title = shortMomentText(clip.start)
    return h(
      'li.clip', { 'data-clip': clip.clip },
      isPlayable ? player(file('file'), file('poster'), title) : h('div.busy'),
      h('div', {}, h('div', {}, title), h('div.quiet', {}, facts.filter(Boolean).join(' · '))),
      isPlayable && h('a.button.icon', { href: file('file'), download: `${this.#camera}-${clip.clip}.mp4`, 'aria-label': t('clips.download') }, symbol('download')),
      isPlayable && state.may('admin') && h('button.icon', { 'aria-label': t('clips.remove'), onclick: () => this.#remove(clip, title) }, symbol('remove')))
  }

  async #remove(clip, title) {
    if (!(await confirm(t('clips.removeQuestion', { title }), t('clips.remove')))) return
    await attempt(() => send('DELETE', `cameras/${this.#camera}/clips/${clip.clip}`))
  }
}

/** A clip that plays takes the width of the list. */
function player(src, poster, title) {
  const widen = () => video.closest('.clip')?.classList.toggle('wide', !video.paused)
  const video = h('video', { src, poster, controls: true, preload: 'none', 'aria-label': title, onplay: widen, onpause: widen })
  return video
}

// Part of gst-capture. Apache License 2.0, see LICENSE.

import { chart } from './chart.js'
import { fill, h } from './dom.js'
import { attempt, confirm } from './messages.js'
import { post, root, send } from './service.js'
import { state } from './state.js'
import { bytesText, numberText, serviceText, spanText, t, timeText } from './words.js'

/**
 * The series of a camera: their state, charts, and a form for a new one.
 *
 * @returns {{element: HTMLElement, close: () => void}}
 */
export function seriesPanel(camera) {
  const events = new AbortController()
  const list = h('div.series-list')
  const cards = new Map()
  const draw = () => {
    const all = state.status?.series.filter((series) => series.camera === camera) ?? []
    for (const [id, card] of cards) {
      if (all.some((series) => series.id === id)) continue
      card.element.remove()
      card.close()
      cards.delete(id)
    }
    for (const series of all) {
      if (!cards.has(series.id)) {
        cards.set(series.id, new SeriesCard(series.id))
        list.append(cards.get(series.id).element)
      }
      cards.get(series.id).draw(series)
    }
    empty.hidden = all.length > 0
  }
  const empty = h('p.quiet', {}, t('series.none'))
  const element = h('div', {}, list, empty, state.may('capture') && newSeries(camera))
  draw()
  state.addEventListener('change', draw, { signal: events.signal })
  state.addEventListener('captured', ({ detail }) => cards.get(detail.series)?.captured(detail), { signal: events.signal })
  const ticks = setInterval(() => cards.forEach((card) => card.tick()), 1000)
  return {
    element,
    close() {
      events.abort()
      clearInterval(ticks)
      cards.forEach((card) => card.close())
    },
  }
}

class SeriesCard {
  #id
  #series = null
  #receivedAt = 0
  #next = h('dd')
  #facts = h('dl')
  #head = h('div.row')
  #buttons = h('div.row')
  #films = fold('films', t('series.films'), ({ filmList }) => filmList(this.#id))
  #maker = fold('film-maker', t('series.film'), ({ filmMaker }) => filmMaker({ series: this.#id }))
  #charts = h('div.charts')
  #points = []
  #hasReadLedger = false
  element

  constructor(id) {
    this.#id = id
    this.element = h('article.card', { 'aria-label': id }, this.#head, this.#facts, this.#charts, this.#films.element, this.#maker.element, this.#buttons)
  }

  close() {
    this.#films.close()
    this.#maker.close()
  }

  draw(series) {
    this.#series = series
    this.#receivedAt = performance.now()
    const key = `series.${series.state}`
    fill(this.#head, h('h3', {}, series.id), h(`span.badge.${series.state}`, {}, t(key)),
      series.captured > 0 && h('a', { href: `${root}api/v1/ledger/${this.#id}/plot`, target: '_blank', 'data-name': 'plot' }, t('series.plot')),
      series.captured > 0 && h('a', { href: `${root}api/v1/series/${this.#id}/sheet`, target: '_blank', 'data-name': 'sheet' }, t('sheet')))
    const fact = (name, value) => value && [h('dt', {}, t(name)), h('dd', {}, value)]
    fill(
      this.#facts,
      series.next_slot && [h('dt', {}, t('series.next')), this.#next],
      fact('series.schedule', series.schedule.split(', ').map(serviceText).join(', ')),
      fact('series.pictures', t('series.counts', series)),
      fact('series.lag', series.lag && t('series.lagText', { mean: numberText(series.lag.mean_ms, 1), largest: numberText(series.lag.largest_ms, 1) })),
      fact('series.space', series.storage && this.#space(series.storage)),
      series.error && fact('fault', serviceText(series.message)))
    this.#films.element.hidden = !series.films
    this.#maker.element.hidden = !series.captured
    this.tick()
    this.#drawButtons()
    if (series.captured > 0 && !this.#hasReadLedger) this.#readLedger()
  }

  tick() {
    const slot = this.#series?.next_slot
    if (!slot) return
    fill(this.#next, t('series.in', { span: spanText(slot.in_ms - (performance.now() - this.#receivedAt)), time: timeText(state.localTime(slot.due)) }))
  }

  captured(event) {
    this.#points.push({ time: Date.parse(event.at), offset: event.offset_ms, brightness: event.brightness })
    this.#drawCharts()
  }

  #space({ free_bytes: free, left_s: left }) {
    return left === null ? bytesText(free) : t('series.spaceText', { free: bytesText(free), span: spanText(left * 1000) })
  }

  #drawButtons() {
    if (!state.may('capture')) return
    const { state: now, removable } = this.#series
    const request = (action) => attempt(() => post(`series/${this.#id}/${action}`))
    const isOn = ['starting', 'running', 'waiting'].includes(now)
    fill(
      this.#buttons,
      isOn && h('button', { onclick: () => request('pause') }, t('pause')),
      isOn && h('button', { onclick: () => request('stop') }, t('stop')),
      !isOn && now !== 'completed' && h('button.primary', { onclick: () => request('resume') }, t('resume')),
      now === 'running' && h('button', { onclick: () => request('trigger') }, t('snap')),
      removable && h('button.plain', { onclick: () => this.#remove() }, t('series.remove')))
  }

  async #remove() {
    if (await confirm(t('series.removeQuestion', { id: this.#id }), t('series.remove'))) {
      await attempt(() => send('DELETE', `series/${this.#id}`))
    }
  }

  async #readLedger() {
    this.#hasReadLedger = true
    try {
      const response = await send('GET', `ledger/${this.#id}`, { query: { since: '1h ago', outcome: 'captured,late' } })
      const lines = (await response.text()).split('\n').filter(Boolean).slice(-500)
      const points = lines.map((line) => JSON.parse(line)).map((line) =>
        ({ time: Date.parse(line.captured), offset: line.offset_ms, brightness: line.brightness }))
      this.#points = points
      this.#drawCharts()
    } catch {
      // The chart begins with the next picture.
    }
  }

  #drawCharts() {
    this.#points = this.#points.slice(-500)
    const line = (name, key, unit) => {
      const points = this.#points.filter((point) => point[key] != null).map((point) => [point.time, point[key]])
      return points.length > 1 && chart(t(name), points, unit)
    }
    fill(this.#charts, line('series.error', 'offset', 'ms'), line('series.brightness', 'brightness', ''))
  }
}

/** A part that is hidden at first. Its films are loaded when it is opened. */
function fold(name, title, create) {
  let content = null
  const open = async () => {
    if (!element.open || content) return
    const clips = await import('./clips.js')
    content ??= create(clips)
    element.append(content.element)
  }
  const element = h('details', { hidden: true, 'data-name': name, ontoggle: open }, h('summary', {}, title))
  return { element, close: () => content?.close() }
}

/** The form for a series that takes a picture every few seconds. */
function newSeries(camera) {
  const interval = h('input', { type: 'number', min: 1, max: 86400, value: 5, required: true, inputmode: 'numeric' })
  const unit = h('select', { 'aria-label': t('series.unit') }, ['s', 'm', 'h'].map((value) => h('option', { value }, t(`unit.${value}`))))
  const name = h('input', {
    type: 'text', pattern: '[A-Za-z0-9_\\-]{1,64}', required: true, value: `${camera}-${new Date().toISOString().slice(5, 16).replace(/[^0-9]/g, '')}`,
  })
  const align = h('input', { type: 'checkbox' })
  const live = h('input', { type: 'checkbox', name: 'live' })
  const create = async (event) => {
    event.preventDefault()
    await attempt(async () => {
      await post('series', {}, {
        id: name.value, camera, interval: `${interval.value}${unit.value}`, ...(align.checked && { align: true }), ...(live.checked && { live: true }),
      })
      await state.refresh()
    })
  }
  return h(
    'details.card', {}, h('summary', {}, t('series.new')),
    h('form', { onsubmit: create },
      h('label.field', {}, t('series.interval'), h('span.amount', {}, interval, unit)),
      h('label.field', {}, t('series.name'), name),
      h('label.check', {}, align, t('series.align')),
      h('label.check', {}, live, t('series.live')),
      h('button.primary', {}, t('series.start'))))
}

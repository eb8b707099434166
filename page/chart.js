// Part of gst-capture. Apache License 2.0, see LICENSE.

import { h } from './dom.js'
import { numberText, timeText } from './words.js'

const width = 300
const height = 70

/**
 * Draws values over time as a line, with the smallest and the largest value.
 *
 * @param {string} title
 * @param {[number, number][]} points Times in milliseconds since 1970, and values; at least two.
 * @param {string} unit Follows the values.
 */
export function chart(title, points, unit) {
  const times = points.map(([time]) => time)
  const values = points.map(([, value]) => value)
  const [begin, end] = [Math.min(...times), Math.max(...times)]
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const x = (time) => ((time - begin) / (end - begin || 1)) * width
  const y = (value) => height - 4 - ((value - low) / (high - low || 1)) * (height - 8)
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`)
  svg.setAttribute('preserveAspectRatio', 'none')
  svg.setAttribute('role', 'img')
  const text = (value) => `${numberText(value, Math.abs(value) < 10 ? 2 : 0)} ${unit}`.trim()
  svg.setAttribute('aria-label', `${title}: ${text(low)} – ${text(high)}`)
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'polyline')
  path.setAttribute('points', points.map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`).join(' '))
  svg.append(path)
  return h(
    'figure.chart', {}, h('figcaption', {}, h('span', {}, title), h('span.quiet', {}, `${text(low)} – ${text(high)}`)), svg,
    h('div.row.quiet', {}, h('span', {}, timeText(begin)), h('span', {}, timeText(end))))
}

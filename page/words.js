// Part of gst-capture. Apache License 2.0, see LICENSE.

import english from './words-en.js'
import german from './words-de.js'

/** The languages of the page. A file of words adds one. */
export const languages = { en: english, de: german }

/** Adds the words of a view that is loaded when it is needed, by their languages. */
export function addWords(words) {
  for (const [tag, more] of Object.entries(words)) Object.assign(languages[tag], more)
}

/** The service's messages in a language: a function that loads their templates. */
const serviceMessages = { de: () => import('./service-de.js') }
let messages = []

const storageKey = 'gst-capture-language'
let current = chosen()

function chosen() {
  const wanted = [localStorage.getItem(storageKey), ...navigator.languages.map((tag) => tag.slice(0, 2))]
  return wanted.find((tag) => tag in languages) || 'en'
}

/** The language of the page. */
export const language = () => current

/** Loads the messages of the service in the language of the page. Until then, they are English. */
export async function loadServiceMessages() {
  const load = serviceMessages[current]
  messages = load ? Object.entries((await load()).default).map(messageTemplate) : []
}

/** Returns the pattern of an English message with places such as `{span}`, and its translation. */
function messageTemplate([english, translation]) {
  const names = []
  const pattern = english.split(/\{(\w+)\}/).map((part, index) => {
    if (index % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    names.push(part)
    return '(.+?)'
  }).join('')
  return { pattern: new RegExp(`^${pattern}$`), names, translation }
}

/**
 * Returns a message of the service in the language of the page. One that has no translation stays English, with its
 * parts translated: `garden: is not connected; plug it in again`.
 */
export function serviceText(text) {
  if (!text || !messages.length) return text
  for (const { pattern, names, translation } of messages) {
    const values = pattern.exec(text)?.slice(1)
    if (values) return translation.replace(/\{(\w+)\}/g, (_, name) => serviceText(values[names.indexOf(name)]))
  }
  const parts = text.split('; ')
  if (parts.length > 1) return parts.map(serviceText).join('; ')
  const colon = text.indexOf(': ')
  return colon < 0 ? text : text.slice(0, colon + 2) + serviceText(text.slice(colon + 2))
}

/** Chooses the language, also for later visits. */
export async function setLanguage(tag) {
  current = tag
  localStorage.setItem(storageKey, tag)
  document.documentElement.lang = tag
  await loadServiceMessages()
}

/**
 * Returns the text of a key, with the values in place of `{name}`. With a value `count`, the key has two texts: for one,
 * and for other numbers.
 */
export function t(key, values = {}) {
  const words = languages[current][key] ?? english[key]
  if (words === undefined) return key
  const text = Array.isArray(words) ? words[values.count === 1 ? 0 : 1] : words
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '')
}

/** `true` if there is a text of a key. */
export const has = (key) => key in languages[current]

/** Returns an error in words: the code in the language of the page, and the detail of the service. */
export function errorText(error) {
  const title = has(`error.${error.code}`) ? t(`error.${error.code}`) : t('error.unknown')
  const detail = [error.message || error.detail, error.advice].filter(Boolean).map(serviceText).join('; ')
  return detail ? `${title}: ${detail}` : title
}

/** Returns a span of time in words, such as `2 h 5 min`. */
export function spanText(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  const parts = [
    [Math.floor(seconds / 86400), 'd'], [Math.floor(seconds / 3600) % 24, 'h'], [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
  const first = parts.findIndex(([value]) => value > 0)
  if (first < 0) return '0\u00a0s'
  return parts.slice(first, first + 2).filter(([value]) => value > 0).map(([value, unit]) => `${value}\u00a0${unit}`).join(' ')
}

/** Returns a span of time in its largest whole unit, such as `30 days`. */
export function longSpanText(milliseconds) {
  const units = [['day', 86400000], ['hour', 3600000], ['minute', 60000], ['second', 1000]]
  const [unit, length] = units.find(([, length]) => milliseconds >= length) ?? units[3]
  return new Intl.NumberFormat(current, { style: 'unit', unit, unitDisplay: 'long' }).format(Math.round(milliseconds / length))
}

/** Returns the length of a clip in words: `42 seconds`, `1 min 30 s`. */
export const lengthText = (milliseconds) => (milliseconds < 60000 ? longSpanText(milliseconds) : spanText(milliseconds))

/** Returns a number with at most this many decimals. */
export const numberText = (value, decimals) => new Intl.NumberFormat(current, { maximumFractionDigits: decimals }).format(value)

/** Returns a number of bytes in words. */
export function bytesText(count) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let unit = 0
  for (; count >= 1000 && unit < units.length - 1; unit++) count /= 1000
  return `${numberText(count, count < 10 && unit ? 1 : 0)}\u00a0${units[unit]}`
}

/** The formats of dates by their language and name. To create one takes longer than to use it. */
const formats = new Map()

function dateText(name, options, date) {
  const key = `${current} ${name}`
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(current, options))
  return formats.get(key).format(new Date(date))
}

/** Returns a time of day, with seconds. */
export const timeText = (date) => dateText('time', { timeStyle: 'medium' }, date)
/** Returns a short day with its time. */
export const shortMomentText = (date) => dateText('short', { dateStyle: 'medium', timeStyle: 'medium' }, date)
/** Returns a day with its time. */
export const momentText = (date) => `${dayText(date)} ${timeText(date)}`
/** Returns a day. */
export const dayText = (date) => dateText('day', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }, date)
/** Returns a month with its year. */
export const monthText = (date) => dateText('month', { month: 'long', year: 'numeric' }, date)

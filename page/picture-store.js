// Part of gst-capture. Apache License 2.0, see LICENSE.

import { lastBelow } from './grid-layout.js'
import { get } from './service.js'

/** How many pictures a request asks for; up to the second number if a place in the middle of a day is needed. */
const [pageSize, mostInPage] = [200, 500]
const newSize = 100
/** How many pictures are kept, of which those of the screen are some hundred. */
const mostKept = 4000
const mostRequests = 2
const planDelay = 30
const pauseAfterError = 5000

const dayOf = (item) => item.taken.slice(0, 10)

/** The day after one such as 2026-03-01. */
const dayAfter = (day) => new Date(Date.parse(`${day}T00:00:00Z`) + 86400000).toISOString().slice(0, 10)

/** The pictures that a search of the library finds. */
export const librarySource = (query) => ({
  dayOf,
  days: async (signal) => (await get('library/days', { q: query }, signal)).days,
  // A search for earlier days begins exactly with a day; the last word of the query can stay the beginning of one.
  page: (day, next, limit, signal) => get('library/items', { q: `before:${dayAfter(day)} ${query}`.trim(), before: next, limit }, signal),
  newest: (limit, signal) => get('library/items', { q: query, limit }, signal),
})

/** The deleted pictures, as those of one day without a heading. */
export const trashSource = (handle) => ({
  dayOf: () => '',
  async days(signal) {
    const answer = await get('library/trash', { limit: 1 }, signal)
    handle(answer)
    return answer.count ? [{ day: '', count: answer.count }] : []
  },
  page: (_, next, limit, signal) => get('library/trash', { before: next, limit }, signal),
})

/**
 * The pictures of a list by day, newest first, of which only those near the screen are loaded.
 *
 * `days` follows each change of the days, `items` pictures that have come, and `fault` an error, in `detail`.
 */
export class PictureStore extends EventTarget {
  #source
  /** The loaded pictures of a day, from its first one on, with the position after them. */
  #held = new Map()
  #requests = new Set()
  #needs = []
  #plan = null
  #newest = null
  #pausedUntil = 0
  #closing = new AbortController()
  /** Before the first answer, `null`. */
  days = null
  /** The number of pictures before each day, and of all. */
  starts = new Float64Array(1)

  constructor(source) {
    super()
    this.#source = source
  }

  close() {
    this.#closing.abort()
    clearTimeout(this.#plan)
    for (const request of this.#requests) request.abort.abort()
  }

  get count() {
    return this.starts.at(-1)
  }

  /** Reads the days again. Pictures that are loaded stay if their days have as many as before. */
  async load() {
    try {
      const days = await this.#source.days(this.#closing.signal)
      const before = new Map((this.days ?? []).map(({ day, count }) => [day, count]))
      for (const { day, count } of days) if (before.get(day) !== count) this.#held.delete(day)
      this.#setDays(days)
    } catch (error) {
      if (!this.#closing.signal.aborted) this.dispatchEvent(new CustomEvent('fault', { detail: error }))
    }
  }

  /** Returns a picture by its place in all; `null` if it is not loaded. */
  item(index) {
    const place = this.#place(index)
    return place ? this.itemOf(place.day, index - this.starts[place.section]) : null
  }

  itemOf(day, position) {
    return this.#held.get(day)?.items[position] ?? null
  }

  /** Returns the place of a loaded picture in all; -1 if it is not loaded. */
  indexOf(item) {
    const section = (this.days ?? []).findIndex(({ day }) => day === this.#source.dayOf(item))
    const position = section < 0 ? -1 : this.#held.get(this.days[section].day)?.items.findIndex(({ id }) => id === item.id) ?? -1
    return position < 0 ? -1 : this.starts[section] + position
  }

  /** Returns a picture by its place in all when it is loaded. */
  async wait(index) {
    const place = this.#place(index)
    while (place && !this.item(index) && !this.#closing.signal.aborted) {
      const position = index - this.starts[place.section]
      this.want([{ section: place.section, end: position + 1 }])
      await new Promise((resolve) => this.addEventListener('items', resolve, { once: true }))
    }
    return this.item(index)
  }

  #place(index) {
    if (!this.days?.length || index < 0 || index >= this.count) return null
    const section = Math.min(lastBelow(this.starts, index), this.days.length - 1)
    return { section, day: this.days[section].day }
  }

  /**
   * Loads the pictures of the screen, and ends requests for others.
   *
   * @param {{section: number, end: number}[]} needs Days with the number of their pictures that are needed.
   */
  want(needs) {
    if (this.#closing.signal.aborted) return
    this.#needs = needs
    this.#plan ??= setTimeout(() => {
      this.#plan = null
      this.#request()
    }, planDelay)
  }

  // --- Requests

  #request() {
    const sections = new Set(this.#needs.map(({ section }) => section))
    for (const request of this.#requests) {
      const isNeeded = [...sections].some((section) => section >= request.first && section <= request.last)
      if (!isNeeded) request.abort.abort()
    }
    if (performance.now() < this.#pausedUntil) return
    let room = 0
    for (const { section, end } of this.#needs) {
      const { day, count } = this.days[section] ?? {}
      const held = this.#held.get(day)
      const missing = day === undefined ? 0 : Math.min(end, count) - (held?.items.length ?? 0)
      if (missing <= 0 || held?.isWhole) continue
      // The request for the day before also has this one.
      if (room > 0) {
        room -= count
        continue
      }
      if ([...this.#requests].some((request) => !request.abort.signal.aborted && section >= request.first && section <= request.last)) continue
      if (this.#requests.size >= mostRequests) return
      const limit = Math.min(mostInPage, Math.max(pageSize, missing + pageSize / 2))
      room = limit - (count - (held?.items.length ?? 0))
      this.#send(section, limit)
    }
  }

  async #send(section, limit) {
    const { day, count } = this.days[section]
    const held = this.#held.get(day)
    let [last, room] = [section, limit - (count - (held?.items.length ?? 0))]
    while (room > 0 && last + 1 < this.days.length) room -= this.days[++last].count
    const request = { first: section, last, abort: new AbortController() }
    this.#requests.add(request)
    try {
      const page = await this.#source.page(day, held?.next, limit, request.abort.signal)
      if (!request.abort.signal.aborted) this.#accept(day, held?.items.length ?? 0, page)
    } catch (error) {
      if (request.abort.signal.aborted) return
      this.#pausedUntil = performance.now() + pauseAfterError
      setTimeout(() => this.want(this.#needs), pauseAfterError)
      this.dispatchEvent(new CustomEvent('fault', { detail: error }))
    } finally {
      this.#requests.delete(request)
      if (!this.#closing.signal.aborted) this.want(this.#needs)
    }
  }

  /** Stores a page that begins in a day after its first pictures. */
  #accept(firstDay, offset, { items, next }) {
    const positions = new Map([[firstDay, offset]])
    if (offset === 0 && firstDay === this.days[0]?.day && items.length) this.#newest = items[0].id
    for (const item of items) {
      const day = this.#source.dayOf(item)
      const position = positions.get(day) ?? 0
      positions.set(day, position + 1)
      if (!this.#held.has(day)) this.#held.set(day, { items: [], next: undefined, isWhole: false })
      this.#held.get(day).items[position] = item
    }
    const counts = new Map(this.days.map(({ day, count }) => [day, count]))
    const days = [...positions.keys()]
    let isOther = days.some((day) => !counts.has(day) && this.#held.get(day)?.items.length)
    for (const day of days) {
      const held = this.#held.get(day)
      if (!held) {
        // The day has lost its pictures.
        isOther = true
        this.#held.set(day, { items: [], next, isWhole: true })
        continue
      }
      if (held.items.length <= positions.get(day)) held.next = next
      held.isWhole ||= next == null || day !== days.at(-1)
      if (held.isWhole ? held.items.length !== counts.get(day) : held.items.length > counts.get(day)) isOther = true
    }
    this.#forget()
    // The list has changed since the days were counted.
    if (isOther) this.#correct(days)
    this.dispatchEvent(new Event('items'))
  }

  #correct(days) {
    const counts = new Map(this.days.map(({ day, count }) => [day, count]))
    for (const day of days) {
      const { items, isWhole } = this.#held.get(day)
      counts.set(day, isWhole ? items.length : Math.max(items.length, counts.get(day) ?? 0))
    }
    this.#setCounts(counts)
  }

  /** Forgets days that are not on the screen, the earliest loaded ones first. */
  #forget() {
    const needed = new Set(this.#needs.map(({ section }) => this.days[section]?.day))
    let count = 0
    for (const { items } of this.#held.values()) count += items.length
    for (const [day, { items }] of this.#held) {
      if (count <= mostKept) return
      if (needed.has(day)) continue
      count -= items.length
      this.#held.delete(day)
    }
  }

  // --- Changes

  /** Adds the pictures that were captured since the list was read. */
  async addNew() {
    if (!this.days || !this.#source.newest) return
    if (!this.#newest) return this.load()
    const { items } = await this.#source.newest(newSize, this.#closing.signal)
    const end = items.findIndex(({ id }) => id === this.#newest)
    if (end < 0) return this.load()
    const fresh = this.#fresh(items, end)
    if (!fresh.length) return
    this.#insert(fresh)
    this.#newest = items[0].id
  }

  /**
   * Returns the pictures of the newest page that are not loaded yet, with their positions in their days. A clip is older
   * than the pictures that were captured while it was recorded.
   *
   * @param {number} end The place of the newest picture that was known.
   */
  #fresh(items, end) {
    const [fresh, days] = [[], new Map()]
    items.forEach((item, index) => {
      const name = this.#source.dayOf(item)
      const held = this.#held.get(name)
      if (!days.has(name)) days.set(name, { position: 0, known: new Set(held?.items.map(({ id }) => id)), room: held?.items.length ?? 0 })
      const day = days.get(name)
      const isBetween = held && (held.isWhole || day.position < day.room)
      if (index < end || isBetween && !day.known.has(item.id)) {
        fresh.push({ ...item, position: day.position })
        day.room++
      }
      day.position++
    })
    return fresh
  }

  /** Puts pictures that were removed back. */
  restore(items) {
    this.#insert(items)
  }

  #insert(items) {
    const counts = new Map(this.days.map(({ day, count }) => [day, count]))
    for (const item of items) {
      const day = this.#source.dayOf(item)
      if (!counts.has(day)) this.#held.set(day, { items: [], next: undefined, isWhole: true })
      const held = this.#held.get(day)
      if (held?.items.some(({ id }) => id === item.id)) continue
      counts.set(day, (counts.get(day) ?? 0) + 1)
      if (!held) continue
      const position = item.position ?? 0
      if (position <= held.items.length) held.items.splice(position, 0, item)
      else this.#held.delete(day)
    }
    this.#setCounts(counts)
  }

  /** Takes loaded pictures out of the list. Returns them, for `restore`. */
  remove(ids) {
    const [counts, removed] = [new Map(this.days.map(({ day, count }) => [day, count])), []]
    for (const [day, { items }] of this.#held) {
      for (let position = items.length - 1; position >= 0; position--) {
        if (!ids.has(items[position].id)) continue
        removed.unshift({ ...items[position], position })
        items.splice(position, 1)
        counts.set(day, counts.get(day) - 1)
      }
    }
    if (removed.some(({ id }) => id === this.#newest)) this.#newest = null
    this.#setCounts(counts)
    return removed
  }

  /** Stores a picture that was changed. */
  replace(item) {
    const held = this.#held.get(this.#source.dayOf(item))
    const position = held?.items.findIndex(({ id }) => id === item.id) ?? -1
    if (position < 0) return
    held.items[position] = item
    this.dispatchEvent(new Event('items'))
  }

  #setCounts(counts) {
    const days = [...counts].filter(([, count]) => count > 0).map(([day, count]) => ({ day, count }))
    this.#setDays(days.sort((one, other) => (one.day < other.day ? 1 : -1)))
  }

  #setDays(days) {
    this.days = days
    this.starts = new Float64Array(days.length + 1)
    days.forEach(({ count }, index) => { this.starts[index + 1] = this.starts[index] + count })
    this.dispatchEvent(new Event('days'))
  }
}

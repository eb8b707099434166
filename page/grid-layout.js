// Part of gst-capture. Apache License 2.0, see LICENSE.

// The geometry of a grid of pictures by day, without a browser. A slot is a place in the grid of a day; the first slots of
// the newest day can belong to the camera.

/** The largest height of an element that scrolls, in pixels. Browsers have limits, and lose precision below them. */
export const mostHeight = 4e6

/**
 * Places the days below each other.
 *
 * @param {{day: string, count: number}[]} days
 * @param {Object} size `columns` of the grid, `rowHeight` and `headHeight` in pixels, and `lead`, the number of slots of the
 *   camera.
 */
export function layOut(days, { columns, rowHeight, headHeight, lead = 0 }) {
  const tops = new Float64Array(days.length + 1)
  const starts = new Float64Array(days.length + 1)
  days.forEach(({ count }, index) => {
    const slots = count + (index === 0 ? lead : 0)
    tops[index + 1] = tops[index] + headHeight + Math.ceil(slots / columns) * rowHeight
    starts[index + 1] = starts[index] + count
  })
  return { days, columns, rowHeight, headHeight, lead, tops, starts, height: tops[days.length], count: starts[days.length] }
}

/** Returns the index of the last value that is not above the given one. The values ascend from 0. */
export function lastBelow(values, value) {
  let [low, high] = [0, values.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (values[middle] <= value) low = middle
    else high = middle - 1
  }
  return low
}

const leadOf = (layout, section) => (section === 0 ? layout.lead : 0)

/** The number of slots of a day. */
export const slotsOf = (layout, section) => layout.days[section].count + leadOf(layout, section)

/** Returns the index of the day at a height. */
export const sectionAt = (layout, y) => Math.min(lastBelow(layout.tops, y), layout.days.length - 1)

/** Returns the day and the slot of a picture, and the height of its row. */
export function place(layout, index) {
  let section = Math.min(lastBelow(layout.starts, index), layout.days.length - 1)
  // A day without pictures begins at the same picture as the next day.
  while (section > 0 && index < layout.starts[section]) section--
  const slot = index - layout.starts[section] + leadOf(layout, section)
  const top = layout.tops[section] + layout.headHeight + Math.floor(slot / layout.columns) * layout.rowHeight
  return { section, slot, top }
}

/** Returns the index of the picture in a slot; negative for the camera. */
export const indexOf = (layout, section, slot) => layout.starts[section] + slot - leadOf(layout, section)

/**
 * Returns the slots of the rows between two heights.
 *
 * @returns {{section: number, first: number, end: number}[]} The slots of each day; `first` equals `end` for a day of which
 *   only the heading is there.
 */
export function slotsBetween(layout, from, to) {
  const found = []
  if (!layout.days.length || to <= 0 || from >= layout.height) return found
  for (let section = sectionAt(layout, Math.max(0, from)); section < layout.days.length && layout.tops[section] < to; section++) {
    const top = layout.tops[section] + layout.headHeight
    const row = (y) => Math.max(0, y - top) / layout.rowHeight
    const slots = slotsOf(layout, section)
    const first = Math.min(slots, Math.floor(row(from)) * layout.columns)
    found.push({ section, first, end: Math.max(first, Math.min(slots, Math.ceil(row(to)) * layout.columns)) })
  }
  return found
}

/** Returns the picture in the row above (-1) or below (1), in the same column, or the last one of a shorter row. */
export function vertical(layout, index, rows) {
  const { columns, starts, days } = layout
  const { section, slot } = place(layout, index)
  const [column, row, slots] = [slot % columns, Math.floor(slot / columns), slotsOf(layout, section)]
  const rowsOfDay = Math.ceil(slots / columns)
  if (row + rows >= 0 && row + rows < rowsOfDay) return indexOf(layout, section, Math.min(slots - 1, slot + rows * columns))
  const other = section + rows
  if (other < 0 || other >= days.length) return rows < 0 ? -1 : starts[section + 1] - 1
  const slotsThere = slotsOf(layout, other)
  const start = rows > 0 ? 0 : Math.floor((slotsThere - 1) / columns) * columns
  return indexOf(layout, other, Math.max(leadOf(layout, other), Math.min(slotsThere - 1, start + column)))
}

/**
 * Returns how much may be drawn beyond the screen above and below, in pixels, so that the grid has at most `most` slots.
 */
export function margin({ columns, rowHeight }, screen, most) {
  const rows = Math.floor(most / columns) - Math.ceil(screen / rowHeight) - 2
  return Math.max(0, Math.min(screen, Math.floor(rows / 2) * rowHeight))
}

/**
 * Maps the heights of a grid to the positions of a scroll bar that is at most `most` high. The parts near both ends are as
 * high as they are, and the rest is compressed.
 */
export class ScrollMap {
  #height
  #edge
  #ratio
  /** The height of the element that scrolls. */
  height

  constructor(height, most = mostHeight) {
    this.#height = height
    this.height = Math.min(height, most)
    this.#edge = most / 4
    this.#ratio = height > most ? (height - most / 2) / (most / 2) : 1
  }

  /** `true` if the heights are not those of the scroll bar. */
  get isCompressed() {
    return this.#ratio > 1
  }

  toScroll(y) {
    if (!this.isCompressed || y <= this.#edge) return y
    if (y >= this.#height - this.#edge) return this.height - (this.#height - y)
    return this.#edge + (y - this.#edge) / this.#ratio
  }

  toContent(position) {
    if (!this.isCompressed || position <= this.#edge) return position
    if (position >= this.height - this.#edge) return this.#height - (this.height - position)
    return this.#edge + (position - this.#edge) * this.#ratio
  }
}

/** Returns the number of columns, and the size of a cell, for a width in pixels. */
export function cellSize(width, gap = 4) {
  const least = width < 900 ? Math.min(width * 0.3, 152) : width < 1700 ? 216 : 288
  const columns = Math.max(1, Math.floor((width + gap) / (least + gap)))
  const cell = (width - gap * (columns - 1)) / columns
  return { columns, width: cell, height: Math.round(cell * 3 / 4), gap }
}

/**
 * Returns the years with their heights as parts of the whole, from new to old. Of years that are too close, the older one is
 * left out.
 *
 * @param {number} least The smallest distance of two years, as a part of the whole.
 */
export function yearMarks({ days, tops, height }, least) {
  const marks = []
  days.forEach(({ day }, index) => {
    const year = day.slice(0, 4)
    if (marks.at(-1)?.year === year) return
    marks.push({ year, part: height ? tops[index] / height : 0 })
  })
  let last = -Infinity
  return marks.filter(({ part }) => {
    if (part - last < least) return false
    last = part
    return true
  })
}

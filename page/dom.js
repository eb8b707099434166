// Part of gst-capture. Apache License 2.0, see LICENSE.

/**
 * Creates an element.
 *
 * @param {string} name The name of the element, with classes after dots: `button.primary`.
 * @param {Object} [attributes] Attributes; functions become listeners (`onclick`), `true` an empty attribute, and
 *   `false`, `null` and `undefined` none. `value` and `checked` become properties.
 * @param {...(Node|string|null|false|Array)} children Texts and elements; empty ones are left out.
 */
export function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split('.')
  const element = document.createElement(tag)
  if (classes.length) element.className = classes.join(' ')
  set(element, attributes)
  element.append(...children.flat(3).filter((child) => child != null && child !== false))
  return element
}

/** Changes attributes of an element, as `h` sets them. */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (name === 'value' || name === 'checked') element[name] = value
    else if (value == null || value === false) element.removeAttribute(name)
    else element.setAttribute(name, value === true ? '' : value)
  }
  return element
}

/** Replaces the content of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child != null && child !== false))
  return element
}

/** Replaces the content of an element. The focus stays on the control with the same `data-name`. */
export function refill(element, ...children) {
  const focused = element.contains(document.activeElement) && document.activeElement.dataset.name
  fill(element, ...children)
  if (focused) element.querySelector(`[data-name="${focused}"]`)?.focus()
  return element
}

/**
 * Creates a symbol from the page's set.
 *
 * @param {keyof typeof shapes} name
 */
export const symbol = (name) => drawing(shapes[name], 24, { class: 'symbol', 'aria-hidden': 'true' })

/** Creates an SVG drawing of one path in a square of this side. */
export function drawing(path, side, attributes) {
  const element = (name, attributes) => set(document.createElementNS('http://www.w3.org/2000/svg', name), attributes)
  const svg = element('svg', { viewBox: `0 0 ${side} ${side}`, ...attributes })
  svg.append(element('path', { d: path }))
  return svg
}

/** Loads a style sheet of the page once, before those of the configuration. Returns when it has effect. */
export function loadStyle(name) {
  styles[name] ??= new Promise((resolve) => {
    const link = h('link', { rel: 'stylesheet', href: new URL(name, import.meta.url).href, onload: resolve, onerror: resolve })
    document.querySelector('link[href$="page.css"]').after(link)
  })
  return styles[name]
}

const styles = {}

const shapes = {
  live: 'M4 8a2 2 0 0 1 2-2h2l1.5-2h5L16 6h2a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zM12 9a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7',
  pictures: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  sessions: 'M12 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 21c0-4.5 3.5-7 8-7s8 2.5 8 7',
  outbox: 'M4 11 20 4l-6 16-3-7zM11 13l9-9',
  records: 'M4 6h16v12H4zM7.5 10h4v4h-4zM14.5 10.5H17M14.5 13.5H17',
  share: 'M7 12a2 2 0 1 0-4 0 2 2 0 0 0 4 0M21 6a2 2 0 1 0-4 0 2 2 0 0 0 4 0M21 18a2 2 0 1 0-4 0 2 2 0 0 0 4 0M6.8 11l10.4-4M6.8 13l10.4 4',
  timer: 'M12 6a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15M12 10v4l2.5 2M9.5 3h5',
  burst: 'M4 9v11h11M7 6v11h11M10 3h11v11H10z',
  series: 'M5 12a7 7 0 0 1 12-5l2 2M19 4v5h-5M19 12a7 7 0 0 1-12 5l-2-2M5 20v-5h5',
  outline: 'M12 4c3.5 0 5 2.5 5 6s-2 7-5 7-5-3.5-5-7 1.5-6 5-6M4 8V5a1 1 0 0 1 1-1h3M16 4h3a1 1 0 0 1 1 1v3M20 16v3a1 1 0 0 1-1 1h-3M8 20H5a1 1 0 0 1-1-1v-3',
  controls: 'M4 7h9M17 7h3M15 5v4M4 12h3M11 12h9M9 10v4M4 17h9M17 17h3M15 15v4',
  mirror: 'M12 4v16M9 7 4 17h5zM15 7l5 10h-5z',
  grid: 'M4 4h16v16H4zM9.3 4v16M14.7 4v16M4 9.3h16M4 14.7h16',
  switch: 'M4 9h13l-3-3M20 15H7l3 3',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  close: 'M6 6l12 12M18 6 6 18',
  next: 'M9 5l7 7-7 7',
  back: 'M15 5l-7 7 7 7',
  remove: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5',
  download: 'M12 4v11M8 11l4 4 4-4M5 20h14',
  play: 'M8 5v14l11-7z',
  details: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 11v5M12 8v.1',
  select: 'M5 12l5 5 9-10',
  video: 'M4 7h11v10H4zM15 11l5-3v8l-5-3',
  microphone: 'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3M6 11a6 6 0 0 0 12 0M12 17v4',
  sound: 'M4 10v4h3l5 4V6L7 10zM16 9a4 4 0 0 1 0 6',
  retake: 'M5 5v5h5M5.5 10a7 7 0 1 1-.5 4',
  'live-photo': 'M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M12 6a6 6 0 1 0 0 12 6 6 0 0 0 0-12M12 2.5v.1M18.7 5.3v.1M21.5 12h.1M18.7 18.7v.1M12 21.4v.1M5.3 18.7v.1M2.5 12h.1M5.3 5.3v.1',
  ghost: 'M6 20V11a6 6 0 0 1 12 0v9l-3-2-3 2-3-2zM10 11v.1M14 11v.1',
  menu: 'M5 7h14M5 12h14M5 17h14',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 20 20',
  tag: 'M4 4h8l8 8-8 8-8-8zM8.5 8.5v.1',
  album: 'M4 7h16v13H4zM7 4h10M8 17l3-4 2 2 2-3 3 5',
  add: 'M12 5v14M5 12h14',
  upload: 'M12 16V4M8 8l4-4 4 4M5 20h14',
  edit: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  missing: 'M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 5M4 4l16 16',
}

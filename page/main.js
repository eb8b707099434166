// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, loadStyle, set, symbol } from './dom.js'
import { liveView } from './live.js'
import { messages, showError } from './messages.js'
import { root } from './service.js'
import { state } from './state.js'
import { errorText, language, languages, loadServiceMessages, serviceText, setLanguage, spanText, t, timeText } from './words.js'

const main = h('main', { id: 'main', tabindex: '-1' })
const header = h('header.top')
const tabs = h('nav.tabs', { 'aria-label': t('views') })
const banner = h('div.banner', { role: 'status', hidden: true })
let view = null
let shown = null
/** The part of the address that is shown, and `true` while the user is asked whether to leave it. */
let shownHash = null
let isAsking = false

document.documentElement.lang = language()
begin()

async function begin() {
  const [place, object] = location.pathname.slice(root.length).split('/').map(decodeURIComponent)
  if (place === 'share') return (await import('./share.js')).showShare(object)
  try {
    await Promise.all([state.start(), loadServiceMessages()])
  } catch (error) {
    return drawRefusal(error)
  }
  if (place === 'kiosk') return new (await import('./kiosk.js')).Kiosk(object)
  document.body.replaceChildren(h('a.skip-link', { href: '#main', onclick: (event) => { event.preventDefault(); main.focus() } }, t('skipToContent')), header, banner, main, tabs, messages)
  state.addEventListener('change', drawState)
  addEventListener('hashchange', drawView)
  setInterval(drawBanner, 1000)
  drawView()
}

/** Shows why the page cannot be used: mostly because the browser is not paired. */
function drawRefusal(error) {
  const isUnpaired = error.status === 401
  document.body.replaceChildren(h(
    'main.message', {}, h('div.logo', { role: 'img', 'aria-label': 'gst-capture' }),
    h('h1', {}, t(isUnpaired ? 'pair.title' : 'refused.title')),
    h('p', {}, isUnpaired ? t('pair.text') : errorText(error)), isUnpaired && h('pre', {}, 'gst-capture serve pair'),
    h('button.primary', { onclick: () => location.reload() }, t('tryAgain'))))
}

// --- Views

/** Returns the parts of the address: the name of the view, and its object. */
function place() {
  const [name, ...rest] = location.hash.slice(1).split('/').map(decodeURIComponent)
  return [name || 'live', ...rest]
}

/** Shows the view of the address. The views but the first one are loaded when they are needed. */
async function drawView() {
  if (location.hash === '#main' || isAsking || !(await mayLeave())) return
  const [name, ...rest] = place()
  const key = `${language()} ${location.hash}`
  if (shown === key) return
  shown = key
  shownHash = location.hash
  // A view that is shown already follows its address.
  if (view?.follow && view.name === `${language()} ${name}`) return view.follow(rest)
  const [id, more] = rest
  const cameras = state.status.cameras
  const camera = cameras.find((other) => other.id === id)?.id ?? lastCamera()
  const load = {
    pictures: async () => {
      const { picturesView } = await import('./pictures.js')
      await loadStyle('library.css')
      return () => picturesView(camera, rest)
    },
    sessions: async () => (await import('./sessions.js')).sessionsView,
    session: async () => {
      const { SessionView } = await import('./session.js')
      return () => new SessionView(id, { run: more })
    },
    outbox: state.offers('outbox') && (async () => {
      const { outboxView } = await import('./outbox.js')
      await loadStyle('outbox.css')
      return outboxView
    }),
    records: hasRecords() && (async () => {
      const { recordsView } = await import('./records.js')
      await Promise.all(['library.css', 'records.css'].map(loadStyle))
      return () => recordsView(rest)
    }),
  }[name]
  let create = () => (camera ? liveView(camera) : noCamera())
  try {
    if (load) create = await load()
  } catch (error) {
    shown = null
    return showError(error)
  }
  // The user may have opened another view meanwhile.
  if (shown !== key) return
  view?.close()
  view = create()
  view.name = `${language()} ${name}`
  if (name === 'live' && camera) sessionStorage.setItem('camera', camera)
  fill(main, view.element)
  document.title = `${t(name)} · gst-capture`
  drawHeader(name, camera)
  drawTabs(name, camera)
  drawState()
}

/** Asks a view with changes whether the user leaves it. The address of one that stays returns. */
async function mayLeave() {
  if (location.hash === shownHash || !view?.mayLeave) return true
  isAsking = true
  const leaves = await view.mayLeave()
  isAsking = false
  if (!leaves) history.pushState(null, '', shownHash)
  return leaves
}

const lastCamera = () =>
  state.camera(sessionStorage.getItem('camera'))?.id ?? state.status.cameras[0]?.id ?? null

const noCamera = () => ({ element: h('p.message', {}, t('live.noCamera')), close() {} })

/** `true` if the service has records, and the user may see them. */
const hasRecords = () => state.offers('records') && state.may('capture')

function drawTabs(current, camera) {
  const link = (name, target, isCurrent) =>
    h('a', { href: `#${target}`, 'aria-current': isCurrent ? 'page' : null }, symbol(name), h('span', {}, t(name)))
  fill(
    tabs, link('live', camera ? `live/${camera}` : 'live', current === 'live'), link('pictures', 'pictures', current === 'pictures'),
    link('sessions', 'sessions', current.startsWith('session')),
    hasRecords() && link('records', 'records', current === 'records'), state.offers('outbox') && link('outbox', 'outbox', current === 'outbox'))
}

function drawHeader(name, camera) {
  const cameras = state.status.cameras
  const chooser = cameras.length > 1
    ? h('select', { 'aria-label': t('camera'), onchange: (event) => { location.hash = `live/${event.target.value}` } },
      cameras.map((one) => h('option', { value: one.id, selected: one.id === camera }, one.title)))
    : h('span', {}, state.camera(camera)?.title ?? '')
  fill(
    header, h('div.logo', { role: 'img', 'aria-label': 'gst-capture' }), h('div.camera-name', {}, name === 'live' && chooser),
    h('span.connection', { role: 'status' }),
    h('button.plain.icon', { popovertarget: 'menu', 'aria-label': t('menu') }, symbol('menu')), menu())
}

/** The menu of the page: what a user chooses once. */
function menu() {
  const words = h('select', { lang: 'mul', onchange: (event) => changeLanguage(event.target.value) },
    Object.keys(languages).map((tag) => h('option', { value: tag, lang: tag, selected: tag === language() }, languages[tag].language)))
  return h(
    'div.menu', { id: 'menu', popover: 'auto' }, h('label.field', {}, h('span', {}, t('chooseLanguage')), words),
    h('p.quiet', {}, `gst-capture ${state.status.version}`))
}

async function changeLanguage(tag) {
  await setLanguage(tag)
  set(tabs, { 'aria-label': t('views') })
  drawView()
}

// --- State

function drawState() {
  const faults = state.status?.cameras.filter((camera) => camera.error) ?? []
  const connection = header.querySelector('.connection')
  if (connection) {
    const isFine = state.lostAt === null && !faults.length
    set(connection, { class: `connection ${isFine ? 'fine' : 'faulty'}` })
    fill(connection, t(state.lostAt !== null ? 'connection.lost' : faults.length ? 'connection.fault' : 'connection.fine'))
  }
  drawBanner()
}

/** Shows a lost connection with the age of the state, or the faults of cameras and series in words. */
function drawBanner() {
  const lines = []
  if (state.lostAt !== null) {
    lines.push(t('connection.stale', { span: spanText(Date.now() - state.lostAt), time: timeText(state.lostAt) }))
  } else {
    for (const camera of state.status.cameras) {
      if (camera.error) lines.push(`${camera.title}: ${[camera.message, camera.error.advice].filter(Boolean).map(serviceText).join('; ')}`)
    }
    for (const series of state.status.series) {
      if (series.error && series.state === 'waiting') lines.push(`${series.id}: ${serviceText(series.message)}`)
    }
  }
  const text = lines.join('\n')
  if (banner.dataset.text === text) return
  banner.dataset.text = text
  banner.hidden = !text
  fill(banner, lines.map((line) => h('p', {}, line)))
}

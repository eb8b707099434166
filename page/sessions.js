// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h } from './dom.js'
import { attempt } from './messages.js'
import { address, get, root } from './service.js'
import { stageTitle, translated } from './scenes.js'
import { state } from './state.js'
import { momentText, t } from './words.js'

/** The sessions of the service, with their earlier runs. */
export function sessionsView() {
  const list = h('div.cards', {}, h('p.quiet', {}, t('loading')))
  const events = new AbortController()
  const draw = () => attempt(async () => {
    const { sessions } = await get('sessions')
    fill(list, sessions.length ? sessions.map(translated).map(card) : h('p.quiet', {}, t('sessions.none')))
  })
  for (const kind of ['phase', 'finished']) state.addEventListener(kind, draw, { signal: events.signal })
  draw()
  return { element: h('div.sessions-view', {}, h('h1', {}, t('sessions')), list), close: () => events.abort() }
}

function card(session) {
  const outlines = [...new Set(session.stages.map((stage) => stage.outline).filter(Boolean))]
  const runs = h('div.runs')
  const addRuns = (before) => attempt(async () => {
    const page = await get(`sessions/${session.id}/runs${before ? `?before=${before}` : ''}`)
    runs.append(...page.runs.map((run) => runRow(session, run)))
    if (!runs.hasChildNodes()) runs.append(h('p.quiet', {}, t('runs.none')))
    more.hidden = !page.next
    more.onclick = async () => {
      more.disabled = true
      await addRuns(page.next)
      more.disabled = false
    }
  })
  const more = h('button', { hidden: true }, t('runs.more'))
  const openRuns = (event) => { if (event.target.open && !runs.hasChildNodes()) addRuns() }
  return h(
    'article.card', { 'data-session': session.id },
    h('div.row', {}, h('h2', {}, session.title || session.id), session.run && h('span.badge.running', {}, t('sessions.running'))),
    session.purpose && h('p', {}, session.purpose),
    h('div.row.outline-row', {}, outlines.map((name) => h('img', { src: address(`outlines/${name}/render`, { width: 160, height: 160, stroke: 'bold' }), alt: name, loading: 'lazy' }))),
    h('p.quiet', {}, session.stages.map(stageTitle).join(' · ')),
    h('div.row', {}, h('a.button.primary', { href: `#session/${session.id}` }, t(session.run ? 'sessions.watch' : 'sessions.begin')),
      state.may('kiosk') && h('a.button', { href: `${root}kiosk/${session.id}` }, t('sessions.kiosk'))),
    h('details', { ontoggle: openRuns }, h('summary', {}, t('runs')), runs, more))
}

function runRow(session, run) {
  const pictures = run.pictures.slice(0, 8).map((picture) => {
    const path = `sessions/${session.id}/runs/${run.id}/pictures/${picture.number}`
    const isShown = !picture.duration_ms || picture.poster
    const shown = isShown ? h('img', { src: address(path, picture.poster ? { poster: 'yes' } : {}), alt: picture.stage, loading: 'lazy' }) : picture.stage
    return h('a', { href: address(path), target: '_blank', rel: 'noopener' }, shown)
  })
  const isOpen = run.state !== 'accepted' && run.state !== 'cancelled'
  return h(
    'section.run', {}, h('div.row', {}, h('span', {}, momentText(run.begun)), h('span.badge', {}, t(`run.${run.state}`))),
    h('div.row.run-pictures', {}, pictures),
    isOpen && !session.run && state.may('kiosk') && h('a.button', { href: `#session/${session.id}/${run.id}` }, t('resume')))
}

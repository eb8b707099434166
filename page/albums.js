// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, loadStyle, symbol } from './dom.js'
import { changeAlbum, createAlbum, readAlbums, removeAlbum, sheetAddress, thumbnailAddress } from './library.js'
import { ask, attempt, confirm } from './messages.js'
import { term } from './search-terms.js'
import { state } from './state.js'
import { t } from './words.js'

/** The albums with their covers. */
export function albumsView() {
  const list = h('ul.albums', {}, h('li.quiet', {}, t('loading')))
  const read = () => attempt(async () => {
    const albums = await readAlbums()
    fill(list, albums.map((album) => card(album, read)))
    empty.hidden = albums.length > 0
  })
  const empty = h('p.quiet', { hidden: true }, t('album.none'))
  const create = async () => {
    const title = await askTitle(t('album.new'))
    if (!title) return
    await attempt(() => createAlbum(title))
    await read()
  }
  const element = h('div.albums-view', {},
    state.may('capture') && h('div.row', {}, h('button', { onclick: create, 'data-name': 'create-album' }, symbol('add'), t('album.new'))), list, empty)
  read()
  return { element, close() {} }
}

function card({ id, title, count, cover }, read) {
  const rename = async () => {
    const name = await askTitle(t('album.rename'), title)
    if (!name || name === title) return
    await attempt(() => changeAlbum(id, { title: name }))
    await read()
  }
  const remove = async () => {
    if (!await confirm(t('album.removeQuestion', { title }), t('album.remove'))) return
    await attempt(() => removeAlbum(id))
    await read()
  }
  const film = async () => {
    const { filmMaker } = await import('./clips.js')
    const maker = filmMaker({ album: id })
    await ask(t('album.film', { title }), (answer) =>
      [h('h2', {}, t('album.film', { title })), maker.element, h('div.row', {}, h('button', { onclick: () => answer(null) }, t('close')))])
    maker.close()
  }
  const image = cover && h('img', { src: thumbnailAddress({ id: cover }), alt: '', loading: 'lazy', onerror: () => image.replaceWith(symbol('missing')) })
  return h(
    'li.album', { 'data-album': id },
    h('a', { href: `#pictures/q/${encodeURIComponent(term('album', title))}` },
      h('span.cover', {}, image || symbol('album')), h('span.title', {}, title), h('span.quiet', {}, t('album.count', { count }))),
    h('div.row', {},
      count > 0 && h('a', { href: sheetAddress(id), target: '_blank', 'data-name': 'sheet' }, t('sheet')),
      state.may('capture') && h('button.plain.icon', { onclick: film, 'aria-label': t('album.film', { title }), title: t('series.film'), 'data-name': 'film-album' }, symbol('video')),
      state.may('capture') && h('button.plain.icon', { onclick: rename, 'aria-label': t('album.renameOf', { title }), title: t('album.rename'), 'data-name': 'rename' }, symbol('edit')),
      state.may('capture') && h('button.plain.icon', { onclick: remove, 'aria-label': t('album.removeOf', { title }), title: t('album.remove'), 'data-name': 'remove-album' }, symbol('remove'))))
}

/** Asks for a title. Returns `null` if the user cancels. */
function askTitle(question, title = '') {
  const input = h('input', { type: 'text', required: true, maxlength: '100', value: title, autofocus: true, onfocus: () => input.select(), 'data-name': 'album-title' })
  return ask(question, (answer) => h(
    'form', { onsubmit: (event) => { event.preventDefault(); answer(input.value.trim() || null) } }, h('label.field', {}, question, input),
    h('div.row', {}, h('button', { type: 'button', onclick: () => answer(null) }, t('cancel')), h('button.primary', {}, t('done')))))
}

/** Lets the user choose an album. Returns one without `id` if it is new, and `null` if the user cancels. */
export async function chooseAlbum() {
  const [albums] = await Promise.all([attempt(readAlbums), loadStyle('albums.css')])
  if (!albums) return null
  const chosen = await ask(t('album.add'), (answer) => [
    h('p', {}, t('album.add')),
    h('div.choices-list', {}, albums.map((one) => h('button', { onclick: () => answer(one) }, h('span', {}, one.title), h('span.quiet', {}, `${one.count}`))),
      h('button', { onclick: () => answer({}), 'data-name': 'new-album' }, symbol('add'), t('album.new'))),
    h('div.row', {}, h('button', { onclick: () => answer(null) }, t('cancel'))),
  ])
  if (!chosen || chosen.id) return chosen
  const title = await askTitle(t('album.new'))
  return title ? { title } : null
}

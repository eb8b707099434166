// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, symbol } from './dom.js'
import { changeAlbum, changePicture, createAlbum, forEachOf, hasAlbums, pictureAddress } from './library.js'
import { attempt, show, showError } from './messages.js'
import { mayRemove } from './removal.js'
import { address } from './service.js'
import { state } from './state.js'
import { askTag } from './tags.js'
import { t } from './words.js'

/** The maximum number of pictures of an archive. */
const mostInArchive = 64

/**
 * The bar below a grid with the actions for the selected pictures.
 *
 * @param {Object} actions `changed` is called with each changed picture, `remove` with pictures to delete.
 */
export function selectionBar(selection, { changed, remove }) {
  const bar = h('div.row.selection', { hidden: true, role: 'group', 'aria-label': t('pictures.selection') })
  const status = h('span', { role: 'status' })
  let offersAlbums = false

  const perform = (action, text) => attempt(async () => {
    const { items } = selection
    selection.set(false)
    const errors = await forEachOf(items, action)
    if (errors.length) showError(errors[0])
    else show(t(text, { count: items.length }))
  })
  const change = (values) => perform(async ({ id }) => changed(await changePicture(id, values)), 'pictures.changed')
  const addTag = async () => {
    const tag = await askTag()
    if (tag) await change({ add: [tag] })
  }
  const addToAlbum = async () => {
    const { chooseAlbum } = await import('./albums.js')
    const album = await chooseAlbum()
    if (!album) return
    const ids = selection.items.map(({ id }) => id)
    selection.set(false)
    await attempt(async () => {
      if (album.id) await changeAlbum(album.id, { add: ids })
      else await createAlbum(album.title, ids)
      show(t('album.added', { count: ids.length, title: album.title }))
    })
  }
  const stars = () => h(
    'select', { 'aria-label': t('stars'), onchange: ({ target }) => change({ stars: Number(target.value) }) },
    h('option', { value: '', selected: true, disabled: true }, t('stars')),
    [0, 1, 2, 3, 4, 5].map((count) => h('option', { value: count }, count ? '★'.repeat(count) : t('stars.none'))))

  const draw = () => {
    bar.hidden = !selection.isOn
    const { items } = selection
    const count = items.length
    const stills = items.map(({ still }) => still).filter(Boolean)
    const canDownload = count === 1 || count > 0 && count <= mostInArchive && stills.length === count
    const href = count === 1 ? pictureAddress(items[0]) : address('stills.zip', { ids: stills.join(',') })
    const mayChange = count > 0 && state.may('capture')
    status.textContent = t('pictures.selected', { count })
    fill(
      bar, status, h('button', { onclick: () => selection.set(false) }, t('done')),
      canDownload && h('a.button', { href, download: '' }, symbol('download'), t('download')),
      mayChange && h('button', { onclick: addTag, 'data-name': 'add-tag', title: t('tag.add') }, symbol('tag'), t('tag')),
      mayChange && stars(),
      mayChange && offersAlbums && h('button', { onclick: addToAlbum, 'data-name': 'add-to-album', title: t('album.add') }, symbol('album'), t('album')),
      count > 0 && mayRemove() && h('button', { onclick: () => { selection.set(false); remove(items) } }, symbol('remove'), t('remove')))
  }
  selection.addEventListener('change', draw)
  draw()
  hasAlbums().then((isOffered) => { offersAlbums = isOffered; draw() }, () => {})
  return bar
}

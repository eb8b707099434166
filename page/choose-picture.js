// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, loadStyle, set, symbol } from './dom.js'
import { Gallery } from './gallery.js'
import { isMovie } from './library.js'
import { attempt } from './messages.js'
import { librarySource } from './picture-store.js'
import { Preview } from './preview.js'
import { SearchField } from './search-field.js'
import { post, send } from './service.js'
import { state } from './state.js'
import { t } from './words.js'

/**
 * Lets the user choose one picture: of the library, of a camera, or of this device.
 *
 * @returns {Promise<{id: string}|File|null>} A picture of the library, a file, or `null` if the user cancels.
 */
export async function choosePicture() {
  await Promise.all(['library.css', 'choose-picture.css'].map(loadStyle))
  return new Chooser().result
}

/** Returns a chosen picture as a file. */
export async function fileOf(chosen) {
  if (chosen instanceof File) return chosen
  const response = await send('GET', `library/items/${chosen.id}/file`)
  return asFile(await response.blob(), chosen.name ?? `${chosen.id}.jpg`)
}

const asFile = (blob, name) => new File([blob], name, { type: blob.type })

class Chooser {
  #dialog
  #body = h('div.choose-body')
  #tabs = h('div.row.choose-tabs', { role: 'group' })
  #shown = null
  #resolve
  #isDone = false
  result = new Promise((resolve) => { this.#resolve = resolve })

  constructor() {
    const input = h('input.unseen', { type: 'file', accept: 'image/*', 'data-name': 'library', onchange: () => input.files[0] && this.#choose(input.files[0]) })
    const tab = (name, show) => h('button', { 'data-name': `choose-${name}`, onclick: ({ currentTarget }) => this.#show(currentTarget, show) }, symbol(name === 'camera' ? 'live' : 'pictures'), t(`choose.${name}`))
    const library = tab('library', () => this.#library())
    fill(this.#tabs, library, state.status.cameras.length > 0 && state.may('capture') && tab('camera', () => this.#camera()),
      h('label.button', {}, symbol('upload'), t('choose.device'), input))
    this.#dialog = h(
      'dialog.choose', { 'aria-label': t('choose.title'), onclose: () => this.#choose(null) },
      h('div.row.choose-head', {}, h('h2', {}, t('choose.title')), h('button', { onclick: () => this.#dialog.close(), 'data-name': 'choose-cancel' }, t('cancel'))),
      this.#tabs, this.#body)
    document.body.append(this.#dialog)
    this.#dialog.showModal()
    this.#show(library, () => this.#library())
  }

  #choose(picture) {
    if (this.#isDone) return
    this.#isDone = true
    this.#shown?.close()
    this.#dialog.remove()
    this.#resolve(picture)
  }

  #show(tab, create) {
    for (const other of this.#tabs.querySelectorAll('button')) set(other, { 'aria-pressed': String(other === tab) })
    this.#shown?.close()
    this.#shown = create()
  }

  #library() {
    const gallery = new Gallery({
      scroller: this.#body, note: (item) => (isMovie(item) ? t('choose.movie') : null), open: (item) => { if (!isMovie(item)) this.#choose(item) },
    })
    const show = (query) => gallery.show(librarySource(`-kind:clip ${query}`.trim()), { empty: t(query ? 'search.none' : 'pictures.none') })
    fill(this.#body, new SearchField('', show).element, gallery.element)
    show('')
    return gallery
  }

  /** Shows the live picture of a camera, of which the user takes a picture. */
  #camera() {
    const { cameras } = state.status
    const preview = new Preview()
    let camera = cameras[0].id
    const open = (id) => {
      camera = id
      preview.show(id)
      preview.showFault()
    }
    const select = cameras.length > 1 && h('select', { 'aria-label': t('camera'), onchange: ({ target }) => open(target.value) },
      cameras.map(({ id, title }) => h('option', { value: id }, title)))
    const shutter = h('button.primary.large', { 'data-name': 'choose-snap', onclick: () => snap() }, t('snap'))
    const snap = () => attempt(async () => {
      shutter.disabled = true
      try {
        this.#choose(await captured(await post(`cameras/${camera}/snap`)))
      } finally {
        shutter.disabled = false
      }
    })
    fill(this.#body, h('div.choose-camera', {}, select, preview.element, shutter))
    open(camera)
    return preview
  }
}

/** Returns the picture of a response as a file; a camera without an output sends the picture itself. */
async function captured(response) {
  if (response.headers.get('content-type').startsWith('image/')) return asFile(await response.blob(), 'picture.jpg')
  const { id } = (await response.json()).stills[0]
  const stored = await send('GET', `stills/${id}`)
  return asFile(await stored.blob(), `${id}.jpg`)
}

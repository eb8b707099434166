// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, loadStyle, symbol } from './dom.js'
import { Gallery } from './gallery.js'
import { hasAlbums, readRoots } from './library.js'
import { attempt } from './messages.js'
import { librarySource } from './picture-store.js'
import { askForTrash, removePictures } from './removal.js'
import { SearchField } from './search-field.js'
import { Selection } from './selection.js'
import { has, t } from './words.js'

/** The other parts of the view, which are loaded when they are needed. Each returns what creates it. */
const parts = {
  trash: async () => (await import('./trash.js')).trashView,
  albums: async () => {
    const [{ albumsView }] = await Promise.all([import('./albums.js'), loadStyle('albums.css')])
    return albumsView
  },
}

/**
 * The pictures of the library by day, newest first, whose first cell is the live camera; their albums, and the trash.
 *
 * @param {string} camera The camera of the first cell; `null` for none.
 * @param {string[]} place The parts of the address after `pictures`.
 */
export function picturesView(camera, place) {
  return new Pictures(camera, place)
}

class Pictures {
  #camera
  #query = null
  #part = null
  #inner = null
  #select = h('button', { onclick: () => this.#selection.set(!this.#selection.isOn) }, symbol('select'), t('select'))
  #places = h('nav.places', { 'aria-label': t('pictures.places') })
  #offline = h('p.offline', { role: 'status', hidden: true })
  #body = h('div.pictures-body')
  #selection = new Selection()
  #search = null
  #gallery = null
  #bar = null
  #offersAlbums = false
  #isClosed = false
  element

  constructor(camera, place) {
    this.#camera = camera
    this.element = h(
      'div.pictures-view', {}, h('div.row.head', {}, h('h1', {}, t('pictures')), this.#places, this.#select), this.#offline, this.#body)
    this.#selection.addEventListener('change', () => this.#selectionChanged())
    this.#drawRoots()
    askForTrash()
    hasAlbums().then((isOffered) => { this.#offersAlbums = isOffered; this.#drawPlaces() }, () => {})
    this.follow(place)
  }

  close() {
    this.#isClosed = true
    this.#inner?.close()
    this.#gallery?.close()
  }

  /** Shows another part of the address, without losing what stays the same. */
  follow([part = 'q', query = '']) {
    this.#select.hidden = part !== 'q'
    if (part === 'q') this.#showSearch(query)
    else attempt(() => this.#showPart(part))
    this.#drawPlaces()
  }

  #drawPlaces() {
    const link = (part, target, text) => h('a', { href: `#${target}`, 'aria-current': this.#part === part ? 'page' : null }, t(text))
    this.#places.hidden = !this.#offersAlbums
    fill(this.#places, link('q', 'pictures', 'pictures.all'), link('albums', 'pictures/albums', 'albums'), link('trash', 'pictures/trash', 'trash'))
  }

  /** Says which folders are not there, such as those of a disk that is not mounted. */
  async #drawRoots() {
    const roots = await readRoots().catch(() => null)
    const lines = (roots ?? []).filter(({ state }) => state !== 'online' && has(`root.${state}`)).map(({ name, state }) => t(`root.${state}`, { name }))
    fill(this.#offline, lines.join(' '))
    this.#offline.hidden = !lines.length
  }

  async #showPart(part) {
    this.#part = part
    this.#query = null
    const create = await (parts[part] ?? parts.albums)()
    // The user may have opened another part meanwhile.
    if (this.#part !== part || this.#isClosed) return
    this.#selection.set(false)
    this.#inner?.close()
    this.#gallery?.close()
    this.#gallery = this.#search = null
    this.#inner = create()
    fill(this.#body, this.#inner.element)
    scrollTo(0, 0)
  }

  #showSearch(query) {
    if (this.#query === query) return
    this.#query = query
    this.#part = 'q'
    this.#selection.set(false)
    if (!this.#gallery) this.#makeGallery(query)
    else this.#search.query = query
    this.#gallery.show(librarySource(query), { hasCamera: query === '', empty: t(query ? 'search.none' : 'pictures.none') })
    scrollTo(0, 0)
  }

  #makeGallery(query) {
    this.#inner?.close()
    this.#inner = null
    this.#search = new SearchField(query, (changed) => {
      location.hash = changed ? `pictures/q/${encodeURIComponent(changed)}` : 'pictures'
    })
    this.#gallery = new Gallery({ camera: this.#camera, selection: this.#selection, open: (item) => attempt(() => this.#open(item)) })
    fill(this.#body, this.#search.element, this.#gallery.element)
  }

  #selectionChanged() {
    this.element.classList.toggle('selecting', this.#selection.isOn)
    if (this.#selection.isOn) attempt(() => this.#showBar())
  }

  /** Shows the actions for the selected pictures, which are loaded with the first selection. */
  async #showBar() {
    const { selectionBar } = await import('./selection-bar.js')
    this.#bar ??= selectionBar(this.#selection, {
      changed: (item) => this.#gallery?.store.replace(item), remove: (items) => this.#remove(items),
    })
    if (this.#gallery && !this.#bar.isConnected) this.#body.append(this.#bar)
  }

  async #open(item) {
    const { store, grid } = this.#gallery
    const [{ openPictures }] = await Promise.all([import('./viewer.js'), askForTrash()])
    await openPictures({
      item,
      list: {
        get count() { return store.count },
        item: (index) => store.item(index),
        wait: (index) => store.wait(index),
        indexOf: (item) => store.indexOf(item),
        replace: (item) => store.replace(item),
        remove: (item, restored) => this.#remove([item], restored),
      },
      closed: (item) => { if (this.#gallery?.store === store) grid.reveal(store.indexOf(item)) },
    })
  }

  /** Moves pictures into the trash; `restored` is called when some are back. */
  async #remove(items, restored = () => {}) {
    const { store } = this.#gallery
    const removed = new Map(store.remove(new Set(items.map(({ id }) => id))).map((item) => [item.id, item]))
    // Pictures that are far from the screen are not loaded, but counted.
    const areLoaded = removed.size === items.length
    await removePictures(items.map((item) => removed.get(item.id) ?? item), async (back) => {
      if (areLoaded) store.restore(back)
      else await store.load()
      restored()
    })
    if (!areLoaded) await store.load()
  }
}

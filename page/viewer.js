// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, loadStyle, refill, set, symbol } from './dom.js'
import { changePicture, isMovie, pictureAddress, shownLength, thumbnailAddress } from './library.js'
import { LivePhotoPlayer } from './live-photo.js'
import { attempt, messages } from './messages.js'
import { clockText } from './recording.js'
import { mayRemove } from './removal.js'
import { get } from './service.js'
import { settings } from './settings.js'
import { state } from './state.js'
import { notes } from './viewer-notes.js'
import { Zoom } from './viewer-zoom.js'
import { bytesText, lengthText, momentText, numberText, t } from './words.js'

const largeThumbnail = 1280

/** Shows one picture: that of a `still`, or a `url` whose picture is stored nowhere. */
export async function openPicture({ still, url, time }) {
  await attempt(async () => {
    const list = url ? [] : await newestPictures(still)
    const item = list.find((other) => other.still === still)
    const alone = { still, url, taken: time }
    await openPictures(item ? { list: listOf(list), item } : { list: listOf([alone]), item: alone })
  })
}

/** Returns the newest pictures of the library; without it, or without the given picture in it, those of all series. */
async function newestPictures(still) {
  const { items } = await get('library/items', { limit: 50 }).catch(() => ({ items: [] }))
  if (items.some((item) => item.still === still)) return items
  const { stills } = await get('stills', { limit: 50 })
  return stills.map(({ id, ...facts }) => ({ ...facts, still: id, taken: facts.captured }))
}

/** Returns a list of pictures that are all there. */
function listOf(items) {
  return {
    get count() { return items.length },
    item: (index) => items[index] ?? null,
    wait: async (index) => items[index] ?? null,
    indexOf: (item) => items.findIndex(({ id, still }) => id === item.id && still === item.still),
    replace: (item) => { items[items.findIndex(({ id }) => id === item.id)] = item },
  }
}

/**
 * Shows pictures in full size: swipe and arrow keys change the picture, a pinch, the wheel and a double tap zoom. A clip
 * plays on a press or with the space key; while it plays, the arrow keys seek.
 *
 * @param {Object} options `list` has `count`, `item(index)`, `wait(index)`, which loads a picture, `indexOf(item)`, and
 *   `replace(item)`. If it has `remove(item, restored)`, the user can delete pictures. `item` is the first picture, and
 *   `closed` is called with the last one.
 */
export async function openPictures(options) {
  await Promise.all(['library.css', 'viewer.css'].map(loadStyle))
  if (options.list.indexOf(options.item) >= 0) new Viewer(options)
}

class Viewer {
  #list
  #index
  #item
  #closedWith
  #image = h('img.full', { alt: '', draggable: 'false' })
  #movie = new LivePhotoPlayer(h('video.movie', { muted: true, playsinline: true, hidden: true }), () => this.#drawBar())
  #frame = h('div.frame', {}, this.#image, this.#movie.element)
  #clip = h('video.clip', { playsinline: true, preload: 'none', hidden: true })
  #caption = h('p.caption', { role: 'status' })
  #bar = h('div.row.viewer-bar')
  #notes = h('div.notes')
  #facts = h('dl')
  #details = h('div.details', { hidden: true, tabindex: '0', role: 'region', 'aria-label': t('details') }, this.#notes, this.#facts)
  #dialog
  #zoom
  #events = new AbortController()
  /** The EXIF tags of the picture, and the lines about its targets. */
  #tags = {}
  #uploads = []
  /** The kind of the timeline; `null` if the user cannot post pictures. */
  #timeline = null

  constructor({ list, item, closed = () => {} }) {
    this.#list = list
    this.#index = list.indexOf(item)
    this.#item = item
    this.#closedWith = closed
    const step = (name, by) =>
      h(`button.round.${name}`, { 'aria-label': t(name), onclick: () => this.#step(by) }, symbol(name))
    this.#dialog = h(
      'dialog.viewer', { 'aria-label': t('viewer'), tabindex: '-1', onclose: () => this.#closed(), onkeydown: (event) => this.#key(event) },
      this.#frame, this.#clip, step('back', -1), step('next', 1), this.#bar, this.#details, this.#caption)
    this.#zoom = new Zoom(this.#frame, this.#image, (by) => this.#step(by))
    document.body.append(this.#dialog)
    this.#draw()
    this.#dialog.showModal()
    if (isMovie(item)) this.#clip.focus()
    // A modal dialog covers the page, with the button that undoes a removal.
    this.#dialog.append(messages)
    // Back closes the picture, and does not leave the view behind it.
    history.pushState({ isViewer: true }, '')
    addEventListener('popstate', this.#back)
    this.#findTimeline()
    state.addEventListener('outbox', () => this.#readUploads(), { signal: this.#events.signal })
  }

  #back = () => this.#dialog.close()

  /** Offers to post pictures, if the service has a timeline. */
  async #findTimeline() {
    if (!state.offers('records') || !state.may('capture')) return
    const { timelineKind } = await import('./post-picture.js')
    this.#timeline = await timelineKind()
    // Buttons that are there stay: the user may just be pressing one.
    if (this.#timeline && !this.#item.url) this.#drawBar()
  }

  /** Posts the picture to the timeline. */
  async #post() {
    const { postPicture } = await import('./post-picture.js')
    await postPicture(this.#timeline, this.#item, thumbnailAddress(this.#item))
  }

  #closed() {
    removeEventListener('popstate', this.#back)
    this.#events.abort()
    this.#movie.close()
    this.#showClip(null)
    document.body.append(messages)
    this.#dialog.remove()
    if (history.state?.isViewer) history.back()
    this.#closedWith(this.#item)
  }

  // --- Drawing

  #draw() {
    const item = this.#item
    this.#zoom.reset()
    this.#showClip(isMovie(item) ? item : null)
    if (isMovie(item)) {
      this.#movie.close()
    } else {
      set(this.#image, { alt: t('pictures.one', { time: momentText(item.taken), camera: item.camera ?? '' }) })
      this.#load(item)
      if (item.url) this.#movie.close()
      else this.#movie.show(pictureAddress(item))
    }
    this.#drawCaption()
    this.#drawBar()
    this.#dialog.querySelector('.back').disabled = this.#index === 0
    this.#dialog.querySelector('.next').disabled = this.#index >= this.#list.count - 1
    if (!this.#details.hidden) this.#drawDetails()
    this.#loadNext()
  }

  #drawBar() {
    const item = this.#item
    const source = pictureAddress(item)
    const button = (name, perform, more = {}) => h('button.round', { 'aria-label': t(name), title: t(name), 'data-name': name, onclick: perform, ...more }, symbol(name))
    refill(
      this.#bar,
      this.#movie.hasMovie && button('play', () => this.#movie.play()),
      !item.url && button('details', () => this.#toggleDetails(), { 'aria-expanded': String(!this.#details.hidden) }),
      this.#timeline && !item.url && !isMovie(item) && button('share', () => this.#post(), { 'aria-label': t('share.timeline'), title: t('share.timeline') }),
      item.still && button('ghost', () => this.#useAsGhost(), { 'aria-label': t('ghost.use'), title: t('ghost.use') }),
      h('a.button.round', { href: source, download: item.name ?? item.still ?? 'picture', 'aria-label': t('download'), title: t('download') }, symbol('download')),
      this.#mayRemove && button('remove', () => this.#remove()),
      button('close', () => this.#dialog.close()))
  }

  /** Shows a clip in place of a picture; `null` ends it. Only the first picture is loaded before it plays. */
  #showClip(item) {
    const source = item && pictureAddress(item)
    if (source && source === this.#clip.getAttribute('src')) return
    const hadFocus = document.activeElement === this.#clip
    this.#dialog.classList.toggle('with-clip', item !== null)
    this.#frame.hidden = item !== null
    this.#clip.hidden = item === null
    // Chromium gives the first focus of a dialog to a video with controls, even if it is hidden.
    this.#clip.controls = item !== null
    this.#clip.pause()
    set(this.#clip, {
      src: source, poster: item && thumbnailAddress(item, largeThumbnail),
      'aria-label': item && t('pictures.clip', { length: lengthText(shownLength(item)), time: momentText(item.taken), camera: item.camera ?? item.name }),
    })
    // Without it, the earlier clip would stay in memory.
    this.#clip.load()
    // An element that is hidden loses the focus, and with it the keys.
    if (item && this.#dialog.open && !this.#details.contains(document.activeElement)) this.#clip.focus()
    else if (hadFocus) this.#dialog.focus()
  }

  /** Shows the large thumbnail until the whole picture is there. */
  #load(item) {
    const source = pictureAddress(item)
    if (!item.id || item.width <= largeThumbnail) return void (this.#image.src = source)
    this.#image.src = thumbnailAddress(item, largeThumbnail)
    const whole = new Image()
    whole.src = source
    whole.decode().then(() => { if (item.id === this.#item.id) this.#image.src = source }, () => {})
  }

  /** Loads the next picture, so that it is there when the user turns to it. */
  async #loadNext() {
    const next = await this.#list.wait(this.#index + 1)
    if (!next || next.url || !this.#dialog.open) return
    const hasThumbnail = next.id && (isMovie(next) || next.width > largeThumbnail)
    const source = hasThumbnail ? thumbnailAddress(next, largeThumbnail) : pictureAddress(next)
    if (source) new Image().src = source
  }

  #drawCaption() {
    const item = this.#item
    fill(this.#caption, [
      item.title, item.stars > 0 && '★'.repeat(item.stars), momentText(item.taken), isMovie(item) && clockText(shownLength(item)), item.width > 0 && `${item.width} × ${item.height}`,
      item.bytes > 0 && bytesText(item.bytes), item.camera ?? item.name,
    ].filter(Boolean).join(' · '))
  }

  // --- Steps and removals

  /** The place of the picture. New pictures move it. */
  #place() {
    const index = this.#list.indexOf(this.#item)
    return index < 0 ? this.#index : index
  }

  async #step(by) {
    await this.#show(this.#place() + by)
  }

  async #show(index) {
    if (index < 0 || index >= this.#list.count) return
    const item = await this.#list.wait(index)
    if (!item || !this.#dialog.open) return
    this.#index = index
    this.#item = item
    this.#draw()
  }

  get #mayRemove() {
    return this.#list.remove && this.#item.id && mayRemove()
  }

  async #remove() {
    const index = this.#place()
    const item = this.#item
    this.#list.remove(item, () => {
      const restored = this.#list.indexOf(item)
      if (this.#dialog.open && restored >= 0) this.#show(restored)
    })
    if (!this.#list.count) return this.#dialog.close()
    await this.#show(Math.min(index, this.#list.count - 1))
  }

  /** Shows the picture over the live one. */
  #useAsGhost() {
    settings.ghostStill = this.#item.still
    settings.ghost = true
    this.#closedWith = () => {}
    this.#dialog.close()
    location.hash = `live/${this.#item.camera ?? ''}`
    state.dispatchEvent(new Event('ghost'))
  }

  // --- Details

  #toggleDetails() {
    this.#details.hidden = !this.#details.hidden
    this.#drawBar()
    if (!this.#details.hidden) this.#drawDetails()
  }

  async #change(change) {
    const item = this.#item
    if (!item.id || !state.may('capture')) return
    await attempt(async () => {
      const changed = await changePicture(item.id, change)
      this.#list.replace(changed)
      // An earlier response of the same picture may have come meanwhile.
      if (item.id !== this.#item.id) return
      this.#item = changed
      this.#drawCaption()
      this.#drawNotes()
    })
  }

  /** Draws the notes again if they have changed. The text that the user is typing stays. */
  #drawNotes() {
    const { id, tags, stars, title, albums } = this.#item
    const key = JSON.stringify([id, tags, stars, title, albums])
    if (key === this.#notes.dataset.key) return
    this.#notes.dataset.key = key
    const { name } = (this.#notes.contains(document.activeElement) && document.activeElement.dataset) || {}
    const typed = document.activeElement.value
    refill(this.#notes, this.#item.id && notes(this.#item, (change) => this.#change(change)))
    const input = name && this.#notes.querySelector(`input[data-name="${name}"]`)
    if (input) input.value = typed
  }

  async #drawDetails() {
    const item = this.#item
    this.#drawNotes()
    this.#tags = {}
    this.#uploads = []
    this.#drawFacts()
    this.#readUploads()
    if (!item.still) return
    await attempt(async () => {
      const tags = await get(`stills/${item.still}/exif`)
      if (item.still !== this.#item.still) return
      this.#tags = tags
      this.#drawFacts()
    })
  }

  /** Reads at which targets of the outbox the picture is. */
  async #readUploads() {
    const item = this.#item
    if (this.#details.hidden || !item.id || !state.offers('outbox')) return
    await attempt(async () => {
      const { uploadLines } = await import('./viewer-uploads.js')
      const lines = await uploadLines(item)
      if (item.id !== this.#item.id) return
      this.#uploads = lines
      this.#drawFacts()
    })
  }

  #drawFacts() {
    const item = this.#item
    const facts = [
      [t('details.id'), item.id ?? item.still], [t('details.file'), item.name], [t('series'), item.series], [t('session'), item.session], [t('details.stage'), item.stage],
      [t('outbox'), this.#uploads.length && this.#uploads],
      [t('details.offset'), item.offset_ms != null && `${numberText(item.offset_ms, 1)} ms`], [t('details.brightness'), item.brightness != null && numberText(item.brightness, 2)],
      ['SHA-256', item.sha256], ...Object.entries(this.#tags).map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : `${value}`]),
    ]
    fill(this.#facts, facts.filter(([, value]) => value).map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]))
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select')) return
    // The arrow keys of a clip that plays seek in it.
    if (event.target === this.#clip && !this.#clip.paused && event.key.startsWith('Arrow')) return
    const actions = {
      ArrowLeft: () => this.#step(-1), ArrowRight: () => this.#step(1), Delete: () => this.#mayRemove && this.#remove(),
      i: () => !this.#item.url && this.#toggleDetails(),
    }
    const action = actions[event.key] ?? (/^[0-5]$/.test(event.key) && (() => this.#change({ stars: Number(event.key) })))
    if (!action) return
    event.preventDefault()
    action()
  }
}

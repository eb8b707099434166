// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h } from './dom.js'
import { LiveVideo, playsVideo } from './live-video.js'
import { address, root } from './service.js'
import { state } from './state.js'
import { serviceText, t } from './words.js'

/** How long after a video has ended the next one begins, in milliseconds. */
const videoPause = 10_000

/**
 * The live picture of a camera, with layers over it. It is closed while the page is hidden, so that the service can
 * close the camera.
 *
 * It begins with JPEG pictures, and continues with video once that plays, if asked; pictures are back when it ends. The
 * events `first` (the first picture of a camera is there), `transport` (see there) and `press` are emitted.
 */
export class Preview extends EventTarget {
  #picture = h('img.live', { alt: t('live.alt') })
  /** The last picture of the camera before, blurred, until the next one is there. */
  #last = h('canvas.last', { hidden: true, 'aria-hidden': 'true' })
  #outline = h('img.layer.outline-layer', { alt: '', hidden: true })
  #ghost = h('img.layer.ghost', { alt: '', hidden: true })
  #grid = h('div.layer.grid', { hidden: true, 'aria-hidden': 'true' })
  #fault = h('p.over.fault', { hidden: true })
  /** What callers draw over the picture, such as a countdown and buttons. */
  over = h('div.over')
  element = h(
    'div.preview', { onclick: () => this.dispatchEvent(new Event('press')) },
    this.#picture, this.#last, this.#ghost, this.#outline, this.#grid, this.#fault, this.over)

  #camera = null
  #query = {}
  #outlineName = null
  #dims = false
  /** `true` for the place of the outlines of sessions. */
  #isOfSession = false
  #size = { width: 0, height: 0 }
  #retry = null
  #closed = false
  /** The parameters of the video; `null` for pictures only. */
  #videoQuery = null
  #video = null
  #videoRetry = null
  #visibility = () => this.#connect()

  /**
   * @param {Object} [query] Parameters of the pictures, such as `{ fps: 15 }`.
   * @param {Object} [videoQuery] Those of video: `width` is the largest one. `null` for pictures only.
   */
  constructor(query = {}, videoQuery = null) {
    super()
    this.#query = query
    this.#videoQuery = playsVideo ? videoQuery : null
    this.#picture.addEventListener('load', () => this.#loaded())
    this.#picture.addEventListener('error', () => this.#failed())
    document.addEventListener('visibilitychange', this.#visibility)
  }

  /** Shows a camera. */
  show(camera) {
    if (camera === this.#camera) return
    if (this.#camera !== null) this.#keepLast()
    this.#camera = camera
    this.#connect()
  }

  /** How the pictures come: `video` or `pictures`; `null` before the first. */
  get transport() {
    if (!this.#size.width) return null
    return this.#video?.element.parentNode ? 'video' : 'pictures'
  }

  /** Shows pictures and video with other parameters, as the constructor does. */
  play(query, videoQuery) {
    this.#query = query
    this.#videoQuery = playsVideo ? videoQuery : null
    this.#connect()
  }

  /** Draws an outline over the picture, as the preview of the command does; `null` for none. */
  setOutline(name, { opacity = 1, dims = false, ofSession = false } = {}) {
    this.#outline.style.opacity = opacity
    if (name === this.#outlineName && dims === this.#dims && ofSession === this.#isOfSession) return
    this.#outlineName = name
    this.#dims = dims
    this.#isOfSession = ofSession
    // A session judges the picture by the outline as it is: both are mirrored, or none.
    this.#outline.classList.toggle('of-session', ofSession)
    this.#drawOutline()
  }

  set mirrored(isOn) {
    this.element.classList.toggle('mirrored', isOn)
  }

  set grid(isOn) {
    this.#grid.hidden = !isOn
  }

  /** Shows an earlier picture over the live one; `null` for none. */
  setGhost(url, opacity = 0.5) {
    this.#ghost.hidden = !url
    this.#ghost.style.opacity = opacity
    if (url) this.#ghost.src = url
    else this.#ghost.removeAttribute('src')
  }

  /** Shows the fault of the camera in words, as far as the state of the service has one. */
  showFault() {
    const camera = state.camera(this.#camera)
    this.setFault(camera?.error ? serviceText(camera.message) : null)
  }

  /** Shows a fault in words; `null` for none. */
  setFault(text) {
    fill(this.#fault, text)
    this.#fault.hidden = !text
  }

  /** Lights the picture up for a moment. */
  flash() {
    this.element.animate?.([{ filter: 'brightness(2.2)' }, { filter: 'none' }], { duration: 180 })
  }

  /** Closes the stream, and forgets the last picture. `show` opens it again. */
  hide() {
    this.#camera = null
    this.#size = { width: 0, height: 0 }
    this.#last.hidden = true
    this.#disconnect()
  }

  close() {
    this.#closed = true
    document.removeEventListener('visibilitychange', this.#visibility)
    this.#disconnect()
  }

  #disconnect() {
    clearTimeout(this.#retry)
    this.#endVideo()
    this.#picture.removeAttribute('src')
  }

  #connect() {
    if (this.#closed || this.#camera === null || document.hidden) {
      if (this.#size.width) this.#keepLast()
      this.#disconnect()
      return
    }
    clearTimeout(this.#retry)
    this.#endVideo()
    this.#connectPictures()
  }

  #connectPictures() {
    // Another address for each connection: browsers do not open the same one again.
    const query = { ...this.#query, action: 'stream', at: Date.now() }
    const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`).join('&')
    this.#picture.src = `${root}cameras/${encodeURIComponent(this.#camera)}?${parameters}`
  }

  #loaded() {
    const { naturalWidth: width, naturalHeight: height } = this.#picture
    if (!width || !this.#picture.hasAttribute('src')) return
    this.#shown(width, height)
    if (this.#videoQuery && !this.#video && !this.#videoRetry) this.#beginVideo()
  }

  #shown(width, height) {
    const isFirst = !this.#last.hidden || !this.#size.width
    if (width !== this.#size.width || height !== this.#size.height) {
      this.#size = { width, height }
      this.element.style.aspectRatio = `${width} / ${height}`
      this.element.style.setProperty('--aspect', width / height)
      this.#drawOutline()
    }
    this.#last.hidden = true
    if (!isFirst) return
    this.dispatchEvent(new Event('first'))
    this.dispatchEvent(new Event('transport'))
  }

  // --- Video

  /** Begins a video beside the pictures, which end when it plays. */
  #beginVideo() {
    const { width } = this.#size
    const query = { ...this.#videoQuery, width: Math.min(width, this.#videoQuery.width ?? width) }
    const video = new LiveVideo(address(`cameras/${encodeURIComponent(this.#camera)}/stream.mp4`, query))
    this.#video = video
    video.addEventListener('picture', () => this.#showVideo(video))
    video.addEventListener('end', () => this.#videoEnded(video))
  }

  #showVideo(video) {
    if (video !== this.#video) return
    video.element.setAttribute('aria-label', t('live.alt'))
    this.#picture.after(video.element)
    this.#picture.removeAttribute('src')
    this.#shown(video.element.videoWidth, video.element.videoHeight)
    this.dispatchEvent(new Event('transport'))
  }

  /** The pictures show what is wrong; the next video is tried a while later. */
  #videoEnded(video) {
    if (video !== this.#video) return
    this.#endVideo()
    this.#videoRetry = setTimeout(() => this.#beginVideo(), videoPause)
    if (!this.#picture.hasAttribute('src')) this.#connectPictures()
  }

  #endVideo() {
    clearTimeout(this.#videoRetry)
    this.#videoRetry = null
    if (!this.#video) return
    const wasShown = this.transport === 'video'
    this.#video.close()
    this.#video.element.remove()
    this.#video = null
    if (wasShown) this.dispatchEvent(new Event('transport'))
  }

  #failed() {
    if (this.#closed || !this.#picture.hasAttribute('src')) return
    this.#retry = setTimeout(() => this.#connect(), 2000)
  }

  #keepLast() {
    const { width, height } = this.#size
    const source = this.transport === 'video' ? this.#video.element : this.#picture
    if (!width || source === this.#picture && !source.complete) return
    this.#last.width = width
    this.#last.height = height
    this.#last.getContext('2d').drawImage(source, 0, 0, width, height)
    this.#last.hidden = false
  }

  #drawOutline() {
    const { width, height } = this.#size
    this.#outline.hidden = !this.#outlineName || !width
    if (this.#outline.hidden) return
    const scale = Math.min(1, 1280 / Math.max(width, height))
    const query = { width: Math.round(width * scale), height: Math.round(height * scale), ground: 'none' }
    if (this.#dims) query.dim = 1
    if (this.#isOfSession) query.session = 'yes'
    this.#outline.src = address(`outlines/${encodeURIComponent(this.#outlineName)}/render`, query)
  }
}

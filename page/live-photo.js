// Part of gst-capture. Apache License 2.0, see LICENSE.

/** The tags of a picture are at its beginning. */
const headSize = 65536

/**
 * Returns the movie of a live photo as a blob; `null` if the picture has none.
 *
 * The movie is at the end of the file (Motion Photo 1.0, Google): only the tags and the movie are read.
 */
export async function movieOf(address, signal) {
  const head = await part(address, `bytes=0-${headSize - 1}`, signal)
  const size = head && movieSize(new TextDecoder('latin1').decode(head))
  if (!size) return null
  const movie = await part(address, `bytes=-${size}`, signal)
  return movie && new Blob([movie], { type: 'video/mp4' })
}

/** Returns the size that the tags of a picture state for its movie. */
function movieSize(head) {
  const item = head.match(/<Container:Item[^>]*Item:Semantic="MotionPhoto"[^>]*>/)?.[0]
  return Number(item?.match(/Item:Length="(\d{1,12})"/)?.[1] ?? 0)
}

async function part(address, range, signal) {
  const response = await fetch(address, { headers: { Range: range }, signal })
  return response.status === 206 ? response.arrayBuffer() : null
}

/** Plays the movie of the shown picture over it: once when the picture is opened, and again on request. */
export class LivePhotoPlayer {
  element
  #request = new AbortController()
  #url = null
  #changed

  /** @param {Function} changed Called when the shown picture turns out to have a movie. */
  constructor(video, changed) {
    this.element = video
    this.#changed = changed
    video.addEventListener('ended', () => this.#hide())
    video.addEventListener('error', () => this.#hide())
  }

  /** `true` if the shown picture has a movie. */
  get hasMovie() {
    return this.#url !== null
  }

  /** Shows another picture. Its movie plays unless the user wants less motion. */
  async show(address) {
    this.close()
    const request = new AbortController()
    this.#request = request
    const movie = await movieOf(address, request.signal).catch(() => null)
    if (!movie || request.signal.aborted) return
    this.#url = URL.createObjectURL(movie)
    this.#changed()
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) this.play()
  }

  play() {
    const { element } = this
    if (element.src !== this.#url) element.src = this.#url
    element.currentTime = 0
    element.hidden = false
    element.play().catch(() => this.#hide())
  }

  close() {
    this.#request.abort()
    this.#hide()
    this.element.removeAttribute('src')
    if (this.#url) URL.revokeObjectURL(this.#url)
    this.#url = null
  }

  #hide() {
    this.element.hidden = true
    this.element.pause()
  }
}

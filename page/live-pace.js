// Part of gst-capture. Apache License 2.0, see LICENSE.

/** How long a video is observed before its rate changes, in seconds. */
const span = 1
/**
 * How long before the display of the newest picture the next one should come, in seconds: it is decoded meanwhile.
 * Chromium stalls when the picture after the shown one is not decoded.
 */
const reserve = 0.02
/** A longer time than the reserve that changes nothing, in seconds. */
const tolerance = 0.01
/** The highest rate of playback. */
const fastest = 1.1

/**
 * Chooses the rate of playback at which live video has a short delay and does not stall.
 *
 * Each stall, of the network or of a busy machine, delays all pictures after it. The video then plays faster, until the
 * picture that comes latest in a second comes just in time. A delay that the network needs stays.
 */
export class LivePace {
  #end = Infinity
  #begin = null
  #leastWait = Infinity
  #leastStep = Infinity
  #rate = 1

  /**
   * Records that a picture has come. Returns the rate of playback from now on.
   *
   * @param {number} end The end of the picture before, in seconds of the video.
   * @param {number} position The position of playback, in seconds of the video.
   * @param {number} now The time, in seconds.
   */
  rate(end, position, now) {
    this.#begin ??= now
    // A part of the video may have several pictures.
    if (end > this.#end) this.#leastStep = Math.min(this.#leastStep, end - this.#end)
    this.#end = end
    this.#leastWait = Math.min(this.#leastWait, end - position)
    if (now - this.#begin < span) return this.#rate
    const excess = this.#leastWait - this.#leastStep - reserve
    this.#rate = excess > tolerance ? Math.min(fastest, 1 + excess / span) : 1
    this.#leastWait = Infinity
    this.#leastStep = Infinity
    this.#begin = now
    return this.#rate
  }
}

// Part of gst-capture. Apache License 2.0, see LICENSE.

/** The pictures that the user has selected. `change` follows each change. */
export class Selection extends EventTarget {
  #items = new Map()
  isOn = false

  get items() {
    return [...this.#items.values()]
  }

  has(id) {
    return this.#items.has(id)
  }

  toggle(item) {
    if (!this.#items.delete(item.id)) this.#items.set(item.id, item)
    this.dispatchEvent(new Event('change'))
  }

  /** Selects no picture. */
  clear() {
    this.#items.clear()
    this.dispatchEvent(new Event('change'))
  }

  /** Begins or ends a selection, which is empty then. */
  set(isOn) {
    if (this.isOn === isOn && !this.#items.size) return
    this.isOn = isOn
    this.#items.clear()
    this.dispatchEvent(new Event('change'))
  }
}

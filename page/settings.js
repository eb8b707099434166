// Part of gst-capture. Apache License 2.0, see LICENSE.

const storageKey = 'gst-capture-settings'
const standard = {
  outline: null, opacity: 90, dim: false, mirror: false, grid: false, ghost: false, ghostStill: null, delay: 5, burst: 3, sound: 'off',
  video: true, livePhotos: false,
}

function stored() {
  try {
    return JSON.parse(localStorage.getItem(storageKey)) ?? {}
  } catch {
    return {}
  }
}

/** The settings of this browser. A change is stored at once. */
export const settings = new Proxy({ ...standard, ...stored() }, {
  set(values, name, value) {
    values[name] = value
    localStorage.setItem(storageKey, JSON.stringify(values))
    return true
  },
})

// Part of gst-capture. Apache License 2.0, see LICENSE.

import './words-outbox.js'
import { h } from './dom.js'
import { get } from './service.js'
import { serviceText, t } from './words.js'

/** Returns a line for each target to which a picture of the library goes; none if no target gets it. */
export async function uploadLines(item) {
  const { uploads } = await get(`library/items/${item.id}/uploads`)
  return uploads.map(({ target, state, reason }) => {
    const text = t(`upload.${state}`, { target })
    return h('div', { 'data-upload': target }, reason ? `${text}: ${serviceText(reason)}` : text)
  })
}

// Part of gst-capture. Apache License 2.0, see LICENSE.

import { show, showError } from './messages.js'
import { address, send } from './service.js'
import { state } from './state.js'
import { t } from './words.js'

/** `true` if the caller may remove a picture: one that was captured on request, whose series is its camera. */
export const isRemovable = (still) => state.may('admin') && still.series === still.camera && still.id !== undefined

const seconds = 8
/** The pictures whose removal can still be undone. */
const pending = new Set()

/**
 * Removes pictures after some seconds, in which the user can undo it. A page that is closed meanwhile removes them.
 *
 * @param {string[]} ids
 * @param {{undo: () => void, failed: (id: string) => void}} callbacks `failed` is called for each picture that could not
 *   be removed.
 */
export function removeLater(ids, { undo, failed }) {
  const removal = { ids }
  pending.add(removal)
  const perform = async () => {
    if (!pending.delete(removal)) return
    for (const id of ids) {
      try {
        await send('DELETE', `stills/${id}`)
      } catch (error) {
        failed(id)
        showError(error)
      }
    }
  }
  const timer = setTimeout(perform, seconds * 1000)
  show(t('pictures.removed', { count: ids.length }), {
    seconds, action: t('undo'),
    perform() {
      clearTimeout(timer)
      pending.delete(removal)
      undo()
    },
  })
}

addEventListener('pagehide', () => {
  for (const { ids } of pending) {
    for (const id of ids) fetch(address(`stills/${id}`), { method: 'DELETE', keepalive: true })
  }
  pending.clear()
})

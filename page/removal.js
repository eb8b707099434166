// Part of gst-capture. Apache License 2.0, see LICENSE.

import { hasAlbums, forEachOf } from './library.js'
import { show, showError } from './messages.js'
import { send } from './service.js'
import { state } from './state.js'
import { t } from './words.js'

const seconds = 8
let hasTrash = false

/** Asks the service once whether it has a trash. */
export const askForTrash = () => hasAlbums().then((isThere) => { hasTrash = isThere }, () => {})

/** `true` if the caller may delete pictures of the library. */
export const mayRemove = () => hasTrash && state.may('capture')

/**
 * Moves pictures into the trash, and offers to restore them.
 *
 * @param {Object[]} items Pictures of the library.
 * @param {(items: Object[]) => void} restored Is called with the pictures that stay, or came back.
 */
export async function removePictures(items, restored) {
  const failed = new Set()
  const removing = forEachOf(items, async (item) => {
    try {
      await send('DELETE', `library/items/${item.id}`)
    } catch (error) {
      failed.add(item)
      throw error
    }
  })
  const undo = async () => {
    await removing
    const errors = await forEachOf(items.filter((item) => !failed.has(item)), (item) => send('POST', `library/items/${item.id}/restore`))
    if (errors.length) showError(errors[0])
    restored(items)
  }
  show(t('pictures.removed', { count: items.length }), { seconds, action: t('undo'), perform: undo })
  const errors = await removing
  if (!errors.length) return
  showError(errors[0])
  restored([...failed])
}

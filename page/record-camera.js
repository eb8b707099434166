// Part of gst-capture. Apache License 2.0, see LICENSE.

import { h, loadStyle } from './dom.js'
import { attempt } from './messages.js'
import { Preview } from './preview.js'
import { send } from './service.js'
import { state } from './state.js'
import { t } from './words.js'

/**
 * Shows the live picture of a camera under an outline, until the user takes a picture. It is stored nowhere: it belongs to
 * the record alone, and does not appear among the pictures of the library.
 *
 * @param {Object} options `title` names the dialog; `prompt` is shown above the picture; `outline` is the outline, and `camera`
 *   the first camera.
 * @returns {Promise<File|null>} `null` if the user cancels.
 */
export async function takePicture({ title, prompt, outline, camera }) {
  await loadStyle('choose-picture.css')
  return new Promise((resolve) => {
    const { cameras } = state.status
    const preview = new Preview()
    let [current, taken] = [state.camera(camera)?.id ?? cameras[0].id, null]
    const open = (id) => {
      current = id
      preview.show(id)
      preview.showFault()
    }
    const take = () => attempt(async () => {
      shutter.disabled = true
      try {
        const response = await send('GET', `cameras/${current}/snapshot`)
        preview.flash()
        taken = new File([await response.blob()], 'picture.jpg', { type: 'image/jpeg' })
        dialog.close()
      } finally {
        shutter.disabled = false
      }
    })
    const shutter = h('button.primary.large', { 'data-name': 'take', autofocus: true, onclick: take }, t('snap'))
    const select = cameras.length > 1 && h('select', { 'aria-label': t('camera'), onchange: ({ target }) => open(target.value) },
      cameras.map((one) => h('option', { value: one.id, selected: one.id === current }, one.title)))
    const closed = () => {
      preview.close()
      events.abort()
      dialog.remove()
      resolve(taken)
    }
    const events = new AbortController()
    const dialog = h(
      'dialog.choose', { 'aria-label': title, onclose: closed },
      h('div.row.choose-head', {}, h('h2', {}, title), h('button', { 'data-name': 'take-cancel', onclick: () => dialog.close() }, t('cancel'))),
      h('div.choose-body', {}, h('div.choose-camera', {}, select, prompt && h('p', {}, prompt), preview.element, shutter)))
    state.addEventListener('change', () => preview.showFault(), { signal: events.signal })
    preview.setOutline(outline ?? null)
    open(current)
    document.body.append(dialog)
    dialog.showModal()
  })
}

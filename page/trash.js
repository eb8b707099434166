// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, symbol } from './dom.js'
import { Gallery } from './gallery.js'
import { forEachOf } from './library.js'
import { attempt, confirm, show, showError } from './messages.js'
import { trashSource } from './picture-store.js'
import { Selection } from './selection.js'
import { send } from './service.js'
import { state } from './state.js'
import { bytesText, t } from './words.js'

const day = 86400000

/** The deleted pictures, with the days that they stay. */
export function trashView() {
  const selection = new Selection()
  const gallery = new Gallery({
    selection, note: ({ erased }) => t('trash.left', { count: Math.max(0, Math.ceil((Date.parse(erased) - Date.now()) / day)) }), open: (item) => selection.toggle(item),
  })
  const [text, bar, buttons] = [h('p', {}, t('trash.text')), h('div.row.selection', { hidden: true, role: 'group', 'aria-label': t('pictures.selection') }), h('div.row')]
  const read = () => gallery.show(trashSource(({ count, bytes }) => {
    text.textContent = count ? `${t('trash.text')} ${t('trash.size', { count, bytes: bytesText(bytes) })}` : t('trash.text')
    fill(buttons, state.may('capture') && count > 0 && h('button', { onclick: empty, 'data-name': 'empty-trash' }, symbol('remove'), t('trash.empty')))
  }), { empty: t('trash.none') })

  const empty = async () => {
    if (!await confirm(t('trash.emptyQuestion'), t('trash.empty'))) return
    await attempt(() => send('DELETE', 'library/trash'))
    read()
  }
  const perform = async (action, done) => {
    const { items } = selection
    const errors = await forEachOf(items, action)
    selection.clear()
    if (errors.length) showError(errors[0])
    else show(t(done, { count: items.length }))
    read()
  }
  const restore = () => perform(({ id }) => send('POST', `library/items/${id}/restore`), 'trash.restored')
  const erase = async () => {
    if (await confirm(t('trash.eraseQuestion', { count: selection.items.length }), t('trash.erase'))) {
      await perform(({ id }) => send('DELETE', `library/trash/${id}`), 'trash.erasedNow')
    }
  }
  selection.isOn = state.may('capture')
  selection.addEventListener('change', () => {
    const count = selection.items.length
    bar.hidden = count === 0
    fill(bar, h('span', { role: 'status' }, t('pictures.selected', { count })),
      h('button', { onclick: () => selection.clear() }, t('cancel')),
      h('button.primary', { onclick: restore, 'data-name': 'restore' }, symbol('retake'), t('trash.restore')),
      h('button', { onclick: erase, 'data-name': 'erase' }, symbol('remove'), t('trash.erase')))
  })
  read()
  const element = h('div.trash-view.selecting', {}, text, buttons, gallery.element, bar)
  return { element, close: () => gallery.close() }
}

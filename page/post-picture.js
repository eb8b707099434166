// Part of gst-capture. Apache License 2.0, see LICENSE.

import './words-records.js'
import { h, loadStyle } from './dom.js'
import { attempt, ask, show } from './messages.js'
import { copyBlob, createRecord, isTimeline, labelOf, readKinds } from './record-data.js'
import { control } from './scenes.js'
import { t } from './words.js'

let kinds = null

/** Returns the kind of the timeline; `null` if the service has none. It is asked once. */
export async function timelineKind() {
  kinds ??= readKinds().catch(() => { kinds = null; return [] })
  return (await kinds).find(isTimeline) ?? null
}

/**
 * Lets the user post a picture to the timeline, with a caption.
 *
 * @param {Object} kind The kind of the timeline.
 * @param {Object} item A picture of the library, or of a series.
 * @param {string} thumbnail The address of a smaller picture.
 */
export async function postPicture(kind, item, thumbnail) {
  await loadStyle('records.css')
  const title = t('records.post')
  const inputs = kind.fields.map((field) => ({ field, input: control(field, '') }))
  const isAgreed = await ask(title, (answer) => h(
    'form.post-form', { onsubmit: (event) => { event.preventDefault(); answer(true) } }, h('h2', {}, title), h('img', { src: thumbnail, alt: '' }),
    inputs.map(({ field, input }) => h('label.field', {}, h('span', {}, labelOf(field) + (field.required ? ' *' : '')), input)),
    h('div.row', {}, h('button', { type: 'button', onclick: () => answer(false) }, t('cancel')), h('button.primary', { 'data-name': 'post', autofocus: true }, t('records.postNow')))))
  if (!isAgreed) return
  await attempt(async () => {
    const fields = Object.fromEntries(inputs.map(({ field, input }) => [field.name, input.value.trim()]).filter(([, value]) => value))
    const blob = await copyBlob(item.still ? { still: item.still } : { item: item.id })
    const { id } = await createRecord(kind.id, { fields, sides: { [kind.sides[0].name]: { blob } } })
    show(t('records.posted'), { action: t('view'), perform: () => { document.querySelector('dialog.viewer')?.close(); location.hash = `records/${kind.id}/${id}` } })
  })
}

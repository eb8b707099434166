// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, symbol } from './dom.js'
import { readTags } from './library.js'
import { ask } from './messages.js'
import { t } from './words.js'

/** A field for a tag, which offers the tags of the library. `add` is called with the tag that the user enters. */
export function tagField(add) {
  const id = `tags-${Math.random().toString(36).slice(2)}`
  const list = h('datalist', { id })
  const input = h('input', { type: 'text', list: id, 'data-name': 'tag', 'aria-label': t('tag.new'), placeholder: t('tag.new'), maxlength: '200', autocomplete: 'off', enterkeyhint: 'done' })
  const read = async () => fill(list, (await readTags()).slice(0, 200).map(({ tag }) => h('option', { value: tag })))
  input.addEventListener('focus', () => read().catch(() => {}), { once: true })
  const submit = (event) => {
    event.preventDefault()
    const tag = input.value.trim()
    input.value = ''
    if (tag) add(tag)
  }
  return h('form.row.tag-field', { onsubmit: submit }, input, list, h('button.icon', { 'aria-label': t('tag.add'), title: t('tag.add') }, symbol('add')))
}

/** Asks for a tag. Returns `null` if the user cancels. */
export const askTag = () => ask(t('tag.add'), (answer) => [
  h('p', {}, t('tag.add')), tagField(answer), h('div.row', {}, h('button', { onclick: () => answer(null) }, t('cancel'))),
])

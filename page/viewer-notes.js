// Part of gst-capture. Apache License 2.0, see LICENSE.

import { h, symbol } from './dom.js'
import { tagField } from './tags.js'
import { state } from './state.js'
import { t } from './words.js'

const most = 5

/**
 * The title, the stars, the tags and the albums of a picture.
 *
 * @param {Object} item A picture of the library.
 * @param {(change: Object) => void} change Is called with what the user changes.
 */
export function notes(item, change) {
  const mayChange = state.may('capture')
  const { tags = [], albums = [], stars = 0, title } = item
  return [
    mayChange ? titleField(title, change) : title && h('h2', {}, title),
    mayChange ? starButtons(stars, change) : stars > 0 && h('p', { role: 'img', 'aria-label': t('stars.count', { count: stars }) }, '★'.repeat(stars)),
    (tags.length > 0 || mayChange) && h('div.tags', { role: 'group', 'aria-label': t('tags') }, tags.map((tag) => mayChange
      ? h('button.chip', { 'data-tag': tag, 'aria-label': t('tag.remove', { tag }), title: t('tag.remove', { tag }), onclick: () => change({ remove: [tag] }) }, h('span', {}, tag), symbol('close'))
      : h('span.chip', {}, h('span', {}, tag))), mayChange && tagField((tag) => change({ add: [tag] }))),
    albums.length > 0 && h('p', {}, t('album.in', { titles: albums.join(', ') })),
  ]
}

function titleField(title, change) {
  const input = h('input', { type: 'text', value: title ?? '', maxlength: '200', placeholder: t('title'), 'aria-label': t('title'), 'data-name': 'title', enterkeyhint: 'done' })
  let sent = title ?? ''
  const submit = () => {
    const text = input.value.trim()
    if (text === sent) return
    sent = text
    change({ title: text })
  }
  input.addEventListener('change', submit)
  return h('form', { onsubmit: (event) => { event.preventDefault(); submit() } }, input)
}

/** The stars. A press of the last one that is lit removes all. */
function starButtons(stars, change) {
  return h('div.stars', { role: 'group', 'aria-label': t('stars') }, Array.from({ length: most }, (_, index) => {
    const count = index + 1
    return h('button.star', {
      'data-name': `star-${count}`, 'aria-label': t('stars.count', { count }), 'aria-pressed': String(count === stars), title: t('stars.count', { count }),
      onclick: () => change({ stars: count === stars ? 0 : count }),
    }, count <= stars ? '★' : '☆')
  }))
}

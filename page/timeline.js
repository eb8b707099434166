// Part of gst-capture. Apache License 2.0, see LICENSE.

import { h, symbol } from './dom.js'
import { blobAddress, firstPicture, labelOf } from './record-data.js'
import { shortMomentText, t } from './words.js'

const largeThumbnail = 1280

/** An entry of the timeline: the picture with its caption and its time. */
export function postCard(kind, record) {
  const { id, fields, changed } = record
  const picture = firstPicture(kind, record)
  const caption = kind.fields.map(({ name }) => fields[name]).filter(Boolean).join('\n')
  const alt = caption || `${labelOf(kind.sides[0])}, ${shortMomentText(changed)}`
  const image = picture && h('img', { src: blobAddress(picture.blob, largeThumbnail), width: picture.blob.width, height: picture.blob.height, alt, loading: 'lazy' })
  return h(
    'li', { 'data-record': id },
    h('article.post', {}, h('a', { href: `#records/${kind.id}/${id}`, 'aria-label': t('records.open', { name: alt }) }, image || symbol('missing')),
      caption && h('p.post-caption', {}, caption), h('p.quiet', {}, h('time', { datetime: changed }, shortMomentText(changed)))))
}

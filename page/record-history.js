// Part of gst-capture. Apache License 2.0, see LICENSE.

import { h, symbol } from './dom.js'
import { attempt } from './messages.js'
import { blobAddress, changeRecord, isSame, partsOf, readVersions, restoreRecord, valueOf, withValue } from './record-data.js'
import { momentText, t } from './words.js'

/**
 * The versions of a record, the newest one first, each with the parts that it changed.
 *
 * @param {(record: Object) => void} changed Is called with the record when a version or a side was restored.
 */
export async function historyList(kind, record, changed) {
  const versions = await readVersions(kind.id, record.id)
  const empty = { fields: {}, sides: {} }
  return h('ol.history', {}, versions.map((version, index) => entry(kind, record, version, versions[index + 1] ?? empty, changed)))
}

function entry(kind, record, version, earlier, changed) {
  const { revision, actor, trashed } = version
  const when = momentText(version.changed)
  const parts = partsOf(kind)
  const isPresent = revision === record.revision
  const isEqual = parts.every((part) => isSame(valueOf(version, part), valueOf(record, part)))
  const restore = () => attempt(async () => changed(await restoreRecord(record, revision)))
  const useSide = (part) => attempt(async () => changed(await changeRecord(record, withValue(record, part, valueOf(version, part)))))
  const change = (part) => {
    const value = valueOf(version, part)
    if (isSame(value, valueOf(earlier, part))) return null
    const isPicture = value && part.group === 'sides'
    const isOther = isPicture && !isSame(value, valueOf(record, part))
    return [h('dt', {}, part.label), h('dd', {},
      isPicture ? h('img', { src: blobAddress(value.blob, 320), alt: part.label, loading: 'lazy' }) : value ?? h('span.quiet', {}, t('records.emptied')),
      isOther && !record.trashed && h('button', { onclick: () => useSide(part), 'data-name': `use-${part.name}-${revision}`, 'aria-label': `${t('records.useSide')}: ${part.label}, ${when}` }, t('records.useSide')))]
  }
  const changes = parts.map(change).filter(Boolean)
  return h(
    'li', { 'data-revision': revision },
    h('div.row', {}, h('strong', {}, when), actor && h('span.quiet', {}, actor), isPresent && h('span.badge', {}, t('records.present')), trashed && h('span.badge.waiting', {}, t('trash'))),
    changes.length > 0 ? h('dl', {}, changes) : !trashed && h('p.quiet', {}, t('records.unchanged')),
    !isEqual && h('div.row', {}, h('button', { onclick: restore, 'data-name': `restore-${revision}`, 'aria-label': `${t('records.restoreVersion')}: ${when}` }, symbol('retake'), t('records.restoreVersion'))))
}

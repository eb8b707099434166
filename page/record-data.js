// Part of gst-capture. Apache License 2.0, see LICENSE.

import { address, get, send } from './service.js'
import { language, momentText } from './words.js'

const json = async (method, path, options) => (await send(method, path, options)).json()
const ifMatch = ({ revision }) => ({ 'If-Match': `"${revision}"` })
const contentOf = ({ fields, sides }) => ({ fields, sides })

// --- Requests

/** The kinds of records, with their texts in the language of the page. */
export const readKinds = async () => (await json('GET', 'records', { headers: { 'Accept-Language': language() } })).kinds

/** A page of records, the one that changed last first: `records`, `next` and `total`. */
export const readRecords = (kind, query) => get(`records/${kind}`, query)
export const readRecord = (kind, id) => get(`records/${kind}/${id}`)
/** The versions of a record, the newest one first. */
export const readVersions = async (kind, id) => (await get(`records/${kind}/${id}/versions`)).versions

/** Returns the reasons why a content is not valid. */
export const check = async (kind, content, id, signal) => (await json('POST', `records/${kind}/check`, { query: { id }, json: contentOf(content), signal })).faults
export const createRecord = (kind, content) => json('POST', `records/${kind}`, { json: contentOf(content) })
/** Changes a record that still has the revision of `record`. Otherwise the error has the status 412. */
export const changeRecord = (record, content) => json('PUT', `records/${record.kind}/${record.id}`, { json: contentOf(content), headers: ifMatch(record) })
export const trashRecord = (record) => json('DELETE', `records/${record.kind}/${record.id}`, { headers: ifMatch(record) })
/** Restores a record from the trash, or one of its versions. */
export const restoreRecord = ({ kind, id }, revision) => json('POST', `records/${kind}/${id}/restore`, { json: revision ? { revision } : {} })

/** How far the records of a kind and the backend are the same. */
export const readSync = (kind) => get(`records/${kind}/sync`)
/** Answers a question about a backend that lost records: `push` or `accept`. */
export const answerSync = (kind, answer) => json('POST', `records/${kind}/sync`, { json: { answer } })
/** The parts of a record that were changed here and on another device. */
export const readConflicts = async (kind, id) => (await get(`records/${kind}/${id}/conflicts`)).conflicts
/** Chooses `mine` or `theirs` for a part. Returns the record. */
export const resolveConflict = (record, choice) => json('POST', `records/${record.kind}/${record.id}/conflicts`, { json: choice, headers: ifMatch(record) })

/** Stores a picture. Returns its blob. */
export const addBlob = (file, query) => json('POST', 'records/blobs', { file, query })
/** Copies a picture of the service: that of a `still`, or an `item` of the library. Returns its blob. */
export const copyBlob = (source) => json('POST', 'records/blobs/from', { json: source })
/** Crops a stored picture under an outline. Returns the picture of a side; `rectified` tells whether it follows the edges of a card. */
export const cropBlob = ({ sha256 }, { outline, adjustment, rectify }) => json('POST', 'records/blobs/crop', { json: { sha256, outline, adjustment, rectify } })
/** Returns the values that the code on a side has, by the names of their fields. */
export const readCode = async (kind, side, { sha256 }) => (await json('POST', 'records/blobs/read', { query: { kind, side }, json: { sha256 } })).read

export const blobAddress = ({ sha256 }, size) => address(`records/blobs/${sha256}`, size ? { size } : {})

// --- Kinds and contents

/** `true` for a kind that is shown as a timeline: its records have no name, and one picture. */
export const isTimeline = ({ key, sides }) => !key && sides.length === 1

/** The name of a field, side or choice for people. */
export const labelOf = ({ label, name }) => label ?? name

/** The parts of a kind, with their IDs as in faults: `field:name`, `side:front`. */
export const partsOf = ({ fields, sides }) => [
  ...fields.map((field) => ({ id: `field:${field.name}`, group: 'fields', name: field.name, label: labelOf(field) })),
  ...sides.map((side) => ({ id: `side:${side.name}`, group: 'sides', name: side.name, label: labelOf(side) })),
]

/** Returns the text or the picture of a part; `null` if it is empty. */
export const valueOf = (content, { group, name }) => content[group][name] || null

/** `true` if two values of a part are equal. A picture that was cropped in another way has another file. */
export const isSame = (one, other) => (one?.blob?.sha256 ?? one ?? null) === (other?.blob?.sha256 ?? other ?? null)

/** Returns a content with another value of a part; `null` removes it. */
export function withValue(content, { group, name }, value) {
  const { [name]: _, ...others } = content[group]
  return { ...content, [group]: value ? { ...others, [name]: value } : others }
}

/** The name of a record for people: the value of its key, or the time of its last change. */
export const nameOf = (kind, { fields, changed }) => (kind.key && fields[kind.key]) || momentText(changed)

/** The picture of the first side that has one. */
export const firstPicture = (kind, { sides }) => sides[kind.sides.find(({ name }) => sides[name])?.name]

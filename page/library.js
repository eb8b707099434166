// Part of gst-capture. Apache License 2.0, see LICENSE.

import { address, get, send } from './service.js'

/** Returns the result of a request; `null` if this service does not have it. */
async function ifOffered(request) {
  try {
    return await request()
  } catch (error) {
    if (error.status === 404) return null
    throw error
  }
}

let roots = null

/** The folders of the library with their states; `null` if the service does not tell them. */
export function readRoots() {
  const reading = ifOffered(() => get('library/roots')).then((answer) => answer?.roots ?? null)
  roots = reading
  reading.catch(() => { roots = null })
  return reading
}

/** `true` if the service has albums and a trash: those that do also tell their folders. It is asked once. */
export const hasAlbums = async () => (await (roots ?? readRoots())) !== null

/** The albums, in the order of their titles. */
export async function readAlbums() {
  const albums = (await ifOffered(() => get('library/albums')))?.albums ?? []
  return albums.sort((one, other) => one.title.localeCompare(other.title))
}

/** Changes an album: `title`, `add` and `remove`. */
export const changeAlbum = async (id, change) => (await send('PATCH', `library/albums/${id}`, { json: change })).json()
export const createAlbum = async (title, add = []) => (await send('POST', 'library/albums', { json: { title, add } })).json()
export const removeAlbum = (id) => send('DELETE', `library/albums/${id}`)

/** Returns the address of the contact sheet of an album. */
export const sheetAddress = (id) => address(`library/albums/${id}/sheet`)

/** The tags, the most frequent one first. */
export async function readTags() {
  const { tags } = await get('library/tags')
  return tags.sort((one, other) => other.count - one.count)
}

/** Changes tags, stars and the title of a picture. Returns it. */
export const changePicture = async (id, change) => (await send('PATCH', `library/items/${id}`, { json: change })).json()

/** Returns the address of a picture: of a file that is stored nowhere, of the library, or of a series. */
export function pictureAddress({ url, still, id }) {
  return url ?? address(still ? `stills/${still}` : `library/items/${id}/file`)
}

/** `true` for a clip, and for any other movie. */
export const isMovie = ({ duration_ms: length }) => length != null

/** The length of a movie as people see it, in milliseconds: whole seconds, at least one. */
export const shownLength = ({ duration_ms: length }) => Math.max(1, Math.round(length / 1000)) * 1000

/**
 * Returns the address of a smaller picture, 320 or 1280 pixels wide; that of a series has one size. `null` for a movie that no
 * camera of the service recorded: it has none.
 */
export function thumbnailAddress(item, size = 320) {
  const { id, still, kind } = item
  if (isMovie(item) && kind === 'file') return null
  return id ? address(`library/items/${id}/thumbnail`, size === 320 ? [] : { size }) : address(`stills/${still}/thumbnail`)
}

/** Performs an action for each element, four at a time. Returns the errors. */
export async function forEachOf(elements, action) {
  const [rest, errors] = [[...elements], []]
  const work = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      try {
        await action(next)
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all([1, 2, 3, 4].map(work))
  return errors
}

// Part of gst-capture. Apache License 2.0, see LICENSE.

/** The length of `Exif` and two zeros, which precede the tags in an `APP1` segment. */
const exifHead = 6

/**
 * Returns `true` if the tags of a picture have its position: phones write theirs into EXIF, and programs also into XMP.
 *
 * @param {Blob} file A JPEG or PNG picture.
 */
export async function hasLocation(file) {
  const bytes = new DataView(await file.arrayBuffer())
  try {
    return parts(bytes).some((part) => text(part, 0, part.byteLength).includes('GPSLatitude') || exifHasLocation(part))
  } catch (error) {
    // The tags are cut off. The service refuses a picture that is not complete.
    if (error instanceof RangeError) return false
    throw error
  }
}

/** Returns the parts of a file that can have tags. */
const parts = (file) => (file.getUint16(0) === 0xffd8 ? segments(file) : chunks(file))

/** The segments `APP1` of a JPEG, which come before its pixels. */
function segments(file) {
  const found = []
  for (let at = 2; at + 4 <= file.byteLength && file.getUint16(at) !== 0xffda; at += 2 + file.getUint16(at + 2)) {
    if (file.getUint16(at) === 0xffe1) found.push(part(file, at + 4, file.getUint16(at + 2) - 2))
  }
  return found
}

/** The chunks of a PNG with tags and texts. */
function chunks(file) {
  const found = []
  for (let at = 8; at + 12 <= file.byteLength; at += 12 + file.getUint32(at)) {
    if (['eXIf', 'iTXt', 'tEXt'].includes(text(file, at + 4, 4))) found.push(part(file, at + 8, file.getUint32(at)))
  }
  return found
}

const part = (file, start, length) => new DataView(file.buffer, start, length)

const text = (view, start, length) =>
  new TextDecoder('latin1').decode(new Uint8Array(view.buffer, view.byteOffset + start, length))

/** `true` if EXIF tags have a directory with a latitude. */
function exifHasLocation(part) {
  const start = text(part, 0, Math.min(4, part.byteLength)) === 'Exif' ? exifHead : 0
  const isLittle = part.byteLength > start + 8 && part.getUint16(start) === 0x4949
  if (!isLittle && (part.byteLength <= start + 8 || part.getUint16(start) !== 0x4d4d)) return false
  const directory = (offset) => Array.from(
    { length: part.getUint16(start + offset, isLittle) }, (_, index) => start + offset + 2 + 12 * index)
  const find = (entries, tag) => entries.find((entry) => part.getUint16(entry, isLittle) === tag)
  const link = find(directory(part.getUint32(start + 4, isLittle)), 0x8825)
  return link !== undefined && find(directory(part.getUint32(link + 8, isLittle)), 2) !== undefined
}

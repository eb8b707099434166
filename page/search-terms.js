// Part of gst-capture. Apache License 2.0, see LICENSE.

// The search language of docs/library.md, without a browser.

/**
 * Splits a search into its terms: `snow -tag:"first day"`.
 *
 * @returns {{text: string, isExcluded: boolean, key: string|null, value: string, isOpen: boolean}[]} `isOpen` is `true` for a
 *   last term whose quotation mark has no second one.
 */
export function terms(search) {
  const pattern = /(-(?=\S))?(?:([A-Za-z]+):)?(?:"([^"]*)("|$)|(\S*))/y
  const found = []
  let position = 0
  while (position < search.length) {
    const rest = search.slice(position)
    const blank = rest.length - rest.trimStart().length
    if (blank === rest.length) break
    pattern.lastIndex = position + blank
    const [text, minus, key, quoted, mark, plain] = pattern.exec(search)
    position = pattern.lastIndex
    found.push({
      text, isExcluded: minus !== undefined, key: key?.toLowerCase() ?? null, value: quoted ?? plain ?? '',
      isOpen: quoted !== undefined && mark === '',
    })
  }
  return found
}

/** Returns a term of the search language; its value is quoted if it needs to be. */
export function term(key, value) {
  const text = value.replaceAll('"', '')
  return `${key}:${/\s/.test(text) ? `"${text}"` : text}`
}

/** Returns a search with the terms, of which none is there twice. */
export const joined = (list) => [...new Set(list)].join(' ')

// Part of gst-capture. Apache License 2.0, see LICENSE.

import { h } from './dom.js'
import { blobAddress, isSame, partsOf, valueOf, withValue } from './record-data.js'
import { t } from './words.js'

/**
 * Returns the parts in which two contents differ. `choice` is `mine` or `theirs` if only that one differs from `base`, and
 * `null` if both do: the user chooses.
 */
export function differences(kind, { base, mine, theirs }) {
  return partsOf(kind).flatMap((part) => {
    const [before, own, other] = [base, mine, theirs].map((content) => (content ? valueOf(content, part) : null))
    if (isSame(own, other)) return []
    const choice = !base ? null : isSame(own, before) ? 'theirs' : isSame(other, before) ? 'mine' : null
    return [{ part, own, other, choice }]
  })
}

let forms = 0

/**
 * Two contents of a record side by side. The user chooses by part, also between two pictures. Parts that only one of them has
 * changed are chosen already.
 */
export class MergeForm {
  #theirs
  #differences
  #form
  #titles
  #name = `merge-${forms++}`
  element

  /**
   * @param {{base?: Object, mine: Object, theirs: Object}} contents The contents; `base` is the one from which both began.
   * @param {Object} options `title`, and the titles of both; `solved` is called with the content that the user has chosen,
   *   and `cancelled` if there is a button for it.
   */
  constructor(kind, contents, { title, mineTitle, theirsTitle, solved, cancelled }) {
    this.#theirs = contents.theirs
    this.#differences = differences(kind, contents)
    this.#titles = { mine: mineTitle, theirs: theirsTitle }
    const submit = (event) => {
      event.preventDefault()
      if (this.#form.reportValidity()) solved(this.#content())
    }
    this.#form = h(
      'form.merge', { 'aria-labelledby': `${this.#name}-title`, onsubmit: submit }, h('h2', { id: `${this.#name}-title`, tabindex: '-1' }, title),
      h('p', {}, t('records.choose')), this.#differences.map((difference) => this.#part(difference)),
      h('div.row.answers', {}, cancelled && h('button', { type: 'button', onclick: cancelled, 'data-name': 'merge-cancel' }, t('back')),
        h('button.primary.large', { 'data-name': 'merge-save' }, t('records.save'))))
    this.element = this.#form
  }

  focus() {
    this.#form.querySelector('h2').focus()
  }

  #part({ part, own, other, choice }) {
    const option = (value, content) => h(
      'label.merge-option', {},
      h('span.row', {}, h('input', { type: 'radio', name: `${this.#name} ${part.id}`, value, required: true, checked: choice === value, 'data-part': part.id }), h('strong', {}, this.#titles[value])),
      content?.blob ? h('img', { src: blobAddress(content.blob, 320), alt: `${part.label}: ${this.#titles[value]}` })
        : content ? h('span.merge-text', {}, content) : h('span.quiet', {}, t('records.emptied')))
    return h('fieldset', {}, h('legend', {}, part.label), h('div.merge-options', {}, option('mine', own), option('theirs', other)))
  }

  /** Their content with the parts that the user has chosen. */
  #content() {
    return this.#differences.reduce((content, { part, own, other }) => {
      const { value } = this.#form.querySelector(`[data-part="${part.id}"]:checked`)
      return withValue(content, part, value === 'mine' ? own : other)
    }, this.#theirs)
  }
}

// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h } from './dom.js'
import { attempt, show } from './messages.js'
import { answerSync, isSame, nameOf, partsOf, readConflicts, resolveConflict, valueOf, withValue } from './record-data.js'
import { MergeForm } from './record-merge.js'
import { t } from './words.js'

/** The parts of a record that were changed here and on another device: the user chooses. */
export class RecordConflicts {
  #kind
  #record
  #conflicts = []
  element = h('div.record-conflicts', {}, h('p.quiet', {}, t('loading')))

  constructor(kind, record) {
    this.#kind = kind
    this.#record = record
    attempt(async () => {
      this.#conflicts = await readConflicts(kind.id, record.id)
      this.#draw()
    })
  }

  close() {}

  get #address() {
    return `#records/${this.#kind.id}/${this.#record.id}`
  }

  #draw() {
    if (!this.#conflicts.length) {
      location.hash = this.#address
      return
    }
    const whole = this.#conflicts.find(({ part }) => part === null)
    if (whole) return this.#drawDeletion(whole)
    const form = new MergeForm(this.#kind, this.#contents(), {
      title: nameOf(this.#kind, this.#record), mineTitle: t('records.mine'), theirsTitle: t('records.theirs'),
      cancelled: () => { location.hash = this.#address },
      solved: (content) => this.#solve(({ part }) => this.#choice(part, content)),
    })
    fill(this.element, form.element)
    form.focus()
  }

  /** One device deleted the record, and the other one changed it. */
  #drawDeletion({ theirs }) {
    const isDeletedThere = theirs === null
    const keep = isDeletedThere ? 'mine' : 'theirs'
    const button = (name, choice) => h('button.large', { onclick: () => this.#solve(() => choice), 'data-name': name }, t(`records.${name}`))
    const heading = h('h2', { tabindex: '-1' }, t(isDeletedThere ? 'records.deletedThere' : 'records.deletedHere'))
    fill(this.element, heading, h('div.row.answers', {}, button('keepRecord', keep), button('deleteRecord', keep === 'mine' ? 'theirs' : 'mine')))
    heading.focus()
  }

  /** The contents of both devices, and the one from which both began. */
  #contents() {
    const mine = this.#record
    const withParts = (version) => this.#known.reduce((content, { part, conflict }) => withValue(content, part, conflict[version]), mine)
    return { mine, theirs: withParts('theirs'), base: withParts('base') }
  }

  get #known() {
    const parts = partsOf(this.#kind)
    return this.#conflicts.map((conflict) => ({ conflict, part: parts.find(({ id }) => id === conflict.part) })).filter(({ part }) => part)
  }

  #choice(id, content) {
    const part = partsOf(this.#kind).find((other) => other.id === id)
    return part && isSame(valueOf(content, part), valueOf(this.#record, part)) ? 'mine' : 'theirs'
  }

  /** Chooses for each conflict. If the record changes meanwhile, the user sees the others again. */
  async #solve(choose) {
    const choices = this.#conflicts.map((conflict) => ({ part: conflict.part, choice: choose(conflict) }))
    await attempt(async () => {
      let record = this.#record
      for (const choice of choices) record = await resolveConflict(record, choice)
      show(t('records.saved'))
      location.hash = this.#address
    })
  }
}

/** Returns a line that asks about a backend that lost records of a kind. */
export function syncQuestion(kind) {
  const button = (answer) => h('button', { 'data-name': answer, onclick: () => attempt(async () => {
    await answerSync(kind.id, answer)
    element.remove()
  }) }, t(`records.answer.${answer}`))
  const element = h('section.card', { 'aria-label': t('records.backend') }, h('p', { role: 'status' }, t('records.lost')), h('div.row', {}, button('push'), button('accept')))
  return element
}

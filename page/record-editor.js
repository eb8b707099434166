// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, set, symbol } from './dom.js'
import { attempt, confirm, show } from './messages.js'
import { changeRecord, check, createRecord, isSame, labelOf, nameOf, partsOf, readCode, readRecord, restoreRecord, valueOf, withValue } from './record-data.js'
import { SideField } from './record-side.js'
import { control } from './scenes.js'
import { serviceText, t } from './words.js'

/** How long the user types before the content is checked, in milliseconds. */
const typingPause = 400

/** The content of an editor that was closed with changes, because the language of the page has changed. */
let kept = null

/** Returns a fault in words, to be shown beside its part. */
function faultText({ problem, advice }) {
  const text = [problem, advice].filter(Boolean).map(serviceText).join('; ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Creates a record, or changes one. The service says what is not valid; each fault is beside its part. */
export class RecordEditor {
  #kind
  /** The record as it was read; `null` for a new one. */
  #record
  #content
  /** The parts that the user has changed or left: only these show their faults until the user saves. */
  #touched = new Set()
  #faults = []
  #checks = null
  #timer = null
  #isSaving = false
  #isDone = false
  #controls = new Map()
  #sides = new Map()
  #general = h('p.fault-line', { role: 'alert', hidden: true })
  #save = h('button.primary.large', { 'data-name': 'save' }, t('records.save'))
  #form
  element = h('div.record-editor')

  constructor(kind, record = null) {
    this.#kind = kind
    this.#record = record
    const draft = kept?.key === this.#key ? kept : null
    kept = null
    this.#content = draft?.content ?? { fields: { ...record?.fields }, sides: { ...record?.sides } }
    if (draft) this.#record = draft.record
    const title = record ? t('records.editTitle', { name: nameOf(kind, record) }) : t('records.newTitle', { kind: kind.title })
    this.#form = h(
      'form.record-form', { novalidate: true, 'aria-label': title, onsubmit: (event) => { event.preventDefault(); this.#submit() } },
      h('h2', {}, title), this.#general, kind.fields.map((field) => this.#field(field)), kind.sides.map((side) => this.#side(side)),
      [...kind.fields, ...kind.sides].some(({ required }) => required) && h('p.quiet', {}, t('session.required')),
      h('div.row.answers', {}, h('button', { type: 'button', onclick: () => this.#leave(), 'data-name': 'cancel' }, t('cancel')), this.#save))
    this.element.append(this.#form)
  }

  close() {
    clearTimeout(this.#timer)
    this.#checks?.abort()
    for (const side of this.#sides.values()) side.close()
    if (this.hasChanges) kept = { key: this.#key, content: this.#content, record: this.#record }
  }

  /** Gives the first empty field of a new record the focus. */
  begin() {
    if (!this.#record) this.#controls.values().next().value?.focus()
  }

  /** `true` if leaving would lose something. */
  get hasChanges() {
    const before = this.#record ?? { fields: {}, sides: {} }
    return !this.#isDone && partsOf(this.#kind).some((part) => !isSame(valueOf(this.#content, part), valueOf(before, part)))
  }

  /** Forgets the changes. */
  discard() {
    this.#isDone = true
  }

  get #key() {
    return `${this.#kind.id} ${this.#record?.id}`
  }

  #leave() {
    location.hash = this.#record ? `records/${this.#kind.id}/${this.#record.id}` : `records/${this.#kind.id}`
  }

  // --- Fields and sides

  #field(field) {
    const part = { id: `field:${field.name}`, group: 'fields', name: field.name }
    const input = control(field, valueOf(this.#content, part) ?? '')
    const id = `field-${field.name}`
    // The service checks the value: the browser would show its own words.
    set(input, {
      id, pattern: null, required: null, 'aria-required': field.required && 'true', 'aria-describedby': `${id}-note ${id}-fault`, 'data-part': part.id,
      oninput: () => this.#change(part, input.value), onchange: () => { this.#touched.add(part.id); this.#checkSoon() },
    })
    this.#controls.set(part.id, input)
    return h(
      'div.field', {}, h('label', { for: id }, labelOf(field) + (field.required ? ' *' : '')), input,
      h('p.note', { id: `${id}-note`, role: 'status' }), h('p.part-fault', { id: `${id}-fault`, 'aria-live': 'polite' }))
  }

  #side(side) {
    const part = { id: `side:${side.name}`, group: 'sides', name: side.name }
    const field = new SideField(side, valueOf(this.#content, part), (picture) => {
      this.#touched.add(part.id)
      this.#change(part, picture)
      if (picture) this.#readCode(side, picture)
    })
    this.#sides.set(part.id, field)
    return field.element
  }

  #change(part, value) {
    this.#content = withValue(this.#content, part, value)
    if (part.group === 'fields') fill(this.#note(part.name))
    this.#checkSoon()
  }

  #note(name) {
    return this.#form.querySelector(`[id="field-${name}-note"]`)
  }

  /** Fills empty fields with the code on a side. A value that the user has typed stays. */
  async #readCode(side, { blob }) {
    const fields = this.#kind.fields.filter(({ from }) => from?.side === side.name)
    if (!fields.some(({ name }) => !this.#content.fields[name])) return
    // Without a code, the user types.
    const values = await readCode(this.#kind.id, side.name, blob).catch(() => ({}))
    for (const { name } of fields) {
      const input = this.#controls.get(`field:${name}`)
      if (!values?.[name] || input.value) continue
      input.value = values[name]
      this.#change({ group: 'fields', name }, values[name])
      fill(this.#note(name), t('records.codeRead', { side: labelOf(side) }))
    }
  }

  // --- Faults

  #checkSoon() {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#check(), typingPause)
  }

  /** Checks the content. A check without a connection is left out: saving checks again. */
  async #check() {
    this.#checks?.abort()
    const checks = new AbortController()
    this.#checks = checks
    try {
      const faults = await check(this.#kind.id, this.#content, this.#record?.id, checks.signal)
      if (!checks.signal.aborted) this.#show(faults)
    } catch {
      // The next check, or saving, shows the faults.
    }
  }

  #show(faults) {
    this.#faults = faults
    const parts = new Map(faults.map((fault) => [fault.part, fault]))
    for (const [id, input] of this.#controls) {
      const fault = this.#touched.has(id) ? parts.get(id) : null
      set(input, { 'aria-invalid': fault && 'true' })
      const line = this.#form.querySelector(`[id="${input.id}-fault"]`)
      const text = fault ? faultText(fault) : ''
      if (line.textContent !== text) fill(line, text)
    }
    for (const [id, side] of this.#sides) side.fault = this.#touched.has(id) && parts.has(id) ? faultText(parts.get(id)) : ''
    const others = faults.filter(({ part }) => !this.#controls.has(part) && !this.#sides.has(part))
    fill(this.#general, others.map((fault) => [fault.part?.split(':')[1], faultText(fault)].filter(Boolean).join(': ')).join('. '))
    this.#general.hidden = !others.length
  }

  /** Shows all faults, and moves the focus to the first one. */
  #refuse(faults) {
    for (const id of [...this.#controls.keys(), ...this.#sides.keys()]) this.#touched.add(id)
    this.#show(faults)
    const parts = new Set(faults.map(({ part }) => part))
    const first = [...this.#controls.keys(), ...this.#sides.keys()].find((id) => parts.has(id))
    if (first) (this.#controls.get(first) ?? this.#sides.get(first)).focus()
  }

  // --- Saving

  async #submit() {
    if (this.#isSaving) return
    this.#isSaving = true
    set(this.#save, { 'aria-disabled': 'true' })
    clearTimeout(this.#timer)
    this.#checks?.abort()
    // A picture may still be on its way to the service.
    await Promise.all([...this.#sides.values()].map(({ settled }) => settled))
    await attempt(() => this.#store(this.#content))
    set(this.#save, { 'aria-disabled': null })
    this.#isSaving = false
  }

  async #store(content) {
    try {
      const faults = await check(this.#kind.id, content, this.#record?.id)
      if (faults.length) return this.#refuse(faults)
      const record = this.#record ? await changeRecord(this.#record, content) : await createRecord(this.#kind.id, content)
      this.#finish(record)
    } catch (error) {
      if (error.status === 422 && error.problem.faults) this.#refuse(error.problem.faults)
      else if (error.status === 412) await this.#merge(error.problem.record)
      else if (error.status === 404 && this.#record) await this.#revive(error)
      else throw error
    }
  }

  #finish({ kind, id }) {
    this.#isDone = true
    show(t('records.saved'))
    // The editor is not in the history: back returns to the place before it.
    location.replace(`#records/${kind}/${id}`)
  }

  /** Another device has deleted the record: the user decides whether it returns with the changes. */
  async #revive(error) {
    const present = await readRecord(this.#kind.id, this.#record.id).catch(() => null)
    if (!present?.trashed) throw error
    if (!await confirm(t('records.deletedElsewhere'), t('records.restoreAndSave'))) return
    this.#record = await restoreRecord(present)
    await this.#store(this.#content)
  }

  /** Another device has changed the record: the user chooses by part. */
  async #merge(theirs) {
    const { MergeForm, differences } = await import('./record-merge.js')
    // A request that was sent again after a lost connection meets its own change.
    if (!differences(this.#kind, { mine: this.#content, theirs }).length) return this.#finish(theirs)
    const form = new MergeForm(this.#kind, { base: this.#record, mine: this.#content, theirs }, {
      title: t('records.changedElsewhere'), mineTitle: t('records.mine'), theirsTitle: t('records.theirs'),
      cancelled: () => this.#showForm(),
      solved: (content) => {
        this.#record = theirs
        this.#adopt(content)
        this.#showForm()
        return this.#submit()
      },
    })
    fill(this.element, form.element)
    form.focus()
  }

  #showForm() {
    fill(this.element, this.#form)
    this.#save.focus()
  }

  /** Shows another content in the form. */
  #adopt(content) {
    this.#content = { fields: { ...content.fields }, sides: { ...content.sides } }
    for (const part of partsOf(this.#kind)) {
      const value = valueOf(this.#content, part)
      if (part.group === 'fields') this.#controls.get(part.id).value = value ?? ''
      else this.#sides.get(part.id).picture = value
    }
  }
}

// Part of gst-capture. Apache License 2.0, see LICENSE.

import { fill, h, refill, symbol } from './dom.js'
import { attempt, show } from './messages.js'
import { get, post, send } from './service.js'
import { state } from './state.js'
import { errorText, serviceText, t } from './words.js'

/** The classes of controls (`V4L2_CTRL_CLASS_…`), by the upper half of a control's number. */
const classes = { 0x0098: 'picture', 0x009a: 'camera', 0x009b: 'other', 0x009c: 'flash', 0x009d: 'jpeg', 0x009e: 'sensor', 0x009f: 'sensor' }

/** `true` for a control that the page shows. */
export const isShown = (control) => !control.flags.includes('disabled') && control.kind !== 'compound'

/**
 * The controls of a camera, made from the camera's own list.
 *
 * @returns {{element: HTMLElement, close: () => void}}
 */
export function controlsPanel(camera) {
  const panel = new ControlsPanel(camera)
  return { element: panel.element, close() {} }
}

class ControlsPanel {
  #camera
  #actions = h('div.row', { hidden: true })
  #groups = h('div.groups', {}, h('p.quiet', {}, t('loading')))
  #ramps = h('p.quiet', { hidden: true, role: 'status' })
  #pending = new Map()
  #timer = null
  element

  constructor(camera) {
    this.#camera = camera
    this.element = h(
      'div.controls', {}, this.#actions, this.#ramps, this.#groups,
      !state.may('capture') && h('p.quiet', {}, t('controls.readOnly')))
    get(`cameras/${camera}/controls`).then((answer) => this.#draw(answer)).catch((error) => {
      fill(this.#groups, h('p.quiet', {}, errorText(error)))
    })
  }

  async #post(action, query) {
    await attempt(async () => {
      const answer = await (await post(`cameras/${this.#camera}/${action}`, query)).json()
      for (const { name, reason } of answer.skipped) show(`${name}: ${serviceText(reason)}`, { isFault: true })
      this.#draw(answer)
    })
  }

  /** The buttons for what the camera can lock and ramp. */
  #drawActions({ controls, locked, ramped, lockable, rampable }) {
    this.#actions.hidden = !state.may('capture') || !controls.some(isShown)
    const button = (name, request, ...label) => h('button', { 'data-name': name, onclick: request }, label)
    refill(
      this.#actions,
      lockable.map((name) => button(`lock.${name}`, () => this.#post('lock', { controls: name }), symbol('lock'), t(`lock.${name}`))),
      rampable.map((name) => button(`ramp.${name}`, () => this.#post('ramp', { controls: name }), t(`ramp.${name}`))),
      (locked.length > 0 || ramped.length > 0) && button('unlock', () => this.#post('unlock'), t('unlock')),
      button('reset', () => this.#post('controls/reset'), symbol('retake'), t('reset')))
  }

  #draw(answer) {
    const { controls, locked, ramped } = answer
    this.#drawActions(answer)
    this.#ramps.hidden = !ramped.length
    fill(this.#ramps, ramped.map((name) => h('span', {}, t(`ramped.${name}`), ' ')))
    const groups = new Map()
    for (const control of controls) {
      if (!isShown(control)) continue
      const name = classes[control.id >>> 16] ?? 'other'
      groups.set(name, [...(groups.get(name) ?? []), this.#field(control, locked.includes(control.name))])
    }
    fill(this.#groups, groups.size
      ? [...groups].map(([name, fields]) => h('fieldset', {}, h('legend', {}, t(`controls.${name}`)), fields))
      : h('p.quiet', {}, t('controls.none')))
  }

  #field(control, isLocked) {
    const isOff = !state.may('capture') || control.flags.some((flag) => ['read-only', 'grabbed', 'inactive'].includes(flag))
    const input = this.#input(control, isOff || isLocked)
    const label = [control.title, isLocked && symbol('lock')]
    if (control.kind === 'boolean') return h('label.check', {}, input, label)
    if (control.kind === 'button') return input
    const output = h('output', {}, this.#valueText(control, control.value))
    input.addEventListener('input', () => fill(output, this.#valueText(control, input.value)))
    return h('label.field', {}, h('span', {}, label, output), input)
  }

  #input(control, isOff) {
    const change = (value) => this.#change(control.name, value)
    const common = { disabled: isOff }
    switch (control.kind) {
      case 'boolean':
        return h('input', { type: 'checkbox', ...common, checked: control.value === 1, onchange: (event) => change(event.target.checked) })
      case 'button':
        return h('button', { ...common, onclick: () => change(1) }, control.title)
      case 'menu': case 'integer-menu':
        return h('select', { ...common, onchange: (event) => change(event.target.value) },
          control.menu.map(({ index, name }) => h('option', { value: index, selected: index === control.value }, name)))
      case 'string':
        return h('input', { type: 'text', ...common, value: control.value ?? '', onchange: (event) => change(event.target.value) })
      default:
        return h('input', {
          type: 'range', ...common, min: control.min, max: control.max, step: control.step, value: control.value ?? control.default,
          oninput: (event) => change(event.target.value), ondblclick: (event) => { event.target.value = control.default; change(control.default) },
        })
    }
  }

  #valueText(control, value) {
    if (control.kind === 'menu' || control.kind === 'integer-menu' || control.kind === 'string') return ''
    return value == null ? '' : `${value}`
  }

  /** Collects the changes of a moving slider, and sends the newest. */
  #change(name, value) {
    this.#pending.set(name, value)
    this.#timer ??= setTimeout(() => this.#send(), 150)
  }

  async #send() {
    const values = Object.fromEntries(this.#pending)
    this.#pending.clear()
    await attempt(async () => {
      const answer = await (await send('PATCH', `cameras/${this.#camera}/controls`, { json: values })).json()
      // Other controls may have become active; a slider that the user holds stays as it is.
      if (!this.#groups.contains(document.activeElement) || document.activeElement.type !== 'range') this.#draw(answer)
    })
    this.#timer = this.#pending.size ? setTimeout(() => this.#send(), 150) : null
  }
}

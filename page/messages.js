// Part of gst-capture. Apache License 2.0, see LICENSE.

import { h, symbol } from './dom.js'
import { errorText, t } from './words.js'

const list = h('div.messages', { role: 'status', 'aria-live': 'polite' })
/** The element that shows messages for some seconds. */
export const messages = list

/**
 * Shows a message.
 *
 * @param {string} text
 * @param {Object} [options] `action` is the text of a button, and `perform` its effect; `seconds` is how long the
 *   message stays. A fault stays longer.
 * @returns {() => void} Removes the message.
 */
export function show(text, { action, perform, seconds = 6, isFault = false } = {}) {
  const message = h('div.message', {}, h('span', {}, text))
  if (isFault) message.classList.add('fault')
  const remove = () => {
    clearTimeout(timer)
    message.remove()
  }
  const timer = setTimeout(remove, (isFault ? 12 : seconds) * 1000)
  if (action) {
    message.append(h('button.plain', { onclick: () => { remove(); perform() } }, action))
  }
  message.append(h('button.plain.icon', { onclick: remove, 'aria-label': t('close') }, symbol('close')))
  list.append(message)
  return remove
}

/** Shows an error in words. */
export const showError = (error) => show(errorText(error), { isFault: true })

/** Performs a request of the user; shows its error. Returns its result, or `undefined` after an error. */
export async function attempt(action) {
  try {
    return await action()
  } catch (error) {
    showError(error)
    return undefined
  }
}

/**
 * Shows a question in a dialog.
 *
 * @param {string} label The name of the dialog.
 * @param {(answer: (value: any) => void) => Array} build Returns the content of the dialog. `answer` closes it with a value.
 * @returns {Promise<any>} The answer; `null` if the user cancels.
 */
export function ask(label, build) {
  return new Promise((resolve) => {
    let given = null
    const answer = (value) => {
      given = value
      dialog.close()
    }
    const dialog = h('dialog.question', { 'aria-label': label, onclose: () => { dialog.remove(); resolve(given) } }, build(answer))
    document.body.append(dialog)
    dialog.showModal()
  })
}

/**
 * Asks whether to do something.
 *
 * @param {string|HTMLElement} question
 * @param {string} agree The text of the button that agrees.
 * @returns {Promise<boolean>} `true` if the user agrees.
 */
export async function confirm(question, agree) {
  const isAgreed = await ask(agree, (answer) => [
    typeof question === 'string' ? h('p', {}, question) : question,
    h('div.row', {},
      h('button', { autofocus: true, onclick: () => answer(false) }, t('cancel')), h('button.primary', { onclick: () => answer(true) }, agree)),
  ])
  return isAgreed === true
}

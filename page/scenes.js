// Part of gst-capture. Apache License 2.0, see LICENSE.

import { lengthText, pictureElement } from './clip-mark.js'
import { h, symbol } from './dom.js'
import { address } from './service.js'
import { state } from './state.js'
import { language, longSpanText, t } from './words.js'

/** Returns the session with its texts in the language of the page, as far as it has them. */
export function translated(session) {
  const words = session.languages[language()]
  if (!words) return session
  return {
    ...session,
    title: words.title ?? session.title,
    purpose: words.purpose ?? session.purpose,
    consent: session.consent && { ...session.consent, text: words.consent ?? session.consent.text },
    tutorial: session.tutorial.map((text, index) => words.tutorial[index] ?? text),
    stages: session.stages.map((stage) => ({
      ...stage, title: words.stages[stage.name]?.title ?? stage.title, prompt: words.stages[stage.name]?.prompt ?? stage.prompt,
    })),
    fields: session.fields.map((field) => ({ ...field, label: words.fields[field.name] ?? field.label })),
  }
}

/** The title of a stage: without one, the name `body_front` becomes "Body front". */
export function stageTitle({ name, title }) {
  const words = name.replaceAll(/[-_]+/g, ' ')
  return title ?? words.charAt(0).toUpperCase() + words.slice(1)
}

// The scenes of a session in place of the picture, each with a key that changes with its content.

/** The text to agree to, and how long the pictures are kept. */
export function consentScene({ consent, title }) {
  return {
    key: `consent ${language()}`,
    element: h(
      'section.scene.card', {}, h('h2', {}, title), h('p.large', { role: 'status' }, consent.text),
      consent.retention_ms && h('p.quiet', {}, t('session.retention', { span: longSpanText(consent.retention_ms) }))),
  }
}

/** The fields with the values so far. */
export function formScene({ fields, title }, values) {
  const field = (entry) => h(
    'label.field', {}, h('span', {}, (entry.label ?? entry.name) + (entry.required ? ' *' : '')), control(entry, values[entry.name] ?? ''))
  return {
    key: `form ${language()}`,
    element: h(
      'form.scene.card', { onsubmit: (event) => { event.preventDefault(); document.querySelector('[data-action=fill]')?.click() } },
      h('h2', {}, title), fields.map(field), fields.some(({ required }) => required) && h('p.quiet', {}, t('session.required')),
      // Enter in a field sends the form only if it has a button.
      h('button.unseen', { tabindex: '-1', 'aria-hidden': 'true' })),
  }
}

/** The control of a field with its value. */
export function control({ name, kind, required, pattern, choices }, value) {
  if (kind === 'choice') {
    return h('select', { name, required }, h('option', { value: '' }, '–'), choices.map((choice) => h('option', { value: choice, selected: choice === value }, choice)))
  }
  if (kind === 'lines') return h('textarea', { name, required, rows: 4, maxlength: 10000 }, value)
  return h('input', { name, required, pattern, value, maxlength: 1000, autocomplete: 'off', inputmode: kind === 'number' ? 'decimal' : null })
}

/** A page of the tutorial. */
export function tutorialScene({ tutorial, stages }, index) {
  const outline = stages[Math.min(index, stages.length - 1)]?.outline
  return {
    key: `tutorial ${index} ${language()}`,
    element: h(
      'section.scene.card', {}, h('p.quiet', {}, t('session.page', { page: index + 1, of: tutorial.length })),
      outline && h('img', { src: address(`outlines/${outline}/render`, { width: 480, height: 480 }), alt: '' }),
      h('p.large', { role: 'status' }, tutorial[index] ?? '')),
  }
}

/** A stage for which the user brings in a picture: its outline, and what to do. */
export function bringScene({ outline }, text) {
  return {
    key: `bring ${outline} ${text}`,
    element: h(
      'section.scene.card', {}, outline && h('img', { src: address(`outlines/${outline}/render`, { width: 480, height: 480 }), alt: '' }),
      h('p.large', { role: 'status' }, text)),
  }
}

/**
 * All pictures side by side.
 *
 * @param {(number: number) => void} retake Retakes a picture.
 */
export function reviewScene({ id, stages }, run, retake) {
  const cell = (picture) => {
    const { number, stage: name, duration_ms: length } = picture
    const url = (query) => address(`sessions/${id}/runs/${run.id}/pictures/${number}`, query)
    const stage = stageTitle(stages.find((stage) => stage.name === name) ?? { name })
    const element = pictureElement(picture, url, t(length ? 'session.clipOf' : 'session.pictureOf', { stage }))
    return h(
      'figure', {}, length ? element : h('a', { href: url(), target: '_blank', rel: 'noopener' }, element),
      h('figcaption', {}, h('span', {}, length ? `${stage} · ${lengthText(length)}` : stage),
        state.may('kiosk') && h('button', { 'aria-label': t('session.retakePicture', { stage }), onclick: () => retake(number) }, symbol('retake'), t('session.retake'))))
  }
  return {
    key: `review ${run.pictures.map((picture) => picture.number).join(',')} ${language()}`,
    element: h('div.review', {}, run.pictures.map(cell)),
  }
}

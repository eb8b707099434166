// Part of gst-capture. Apache License 2.0, see LICENSE.

import { pictureElement } from './clip-mark.js'
import { h } from './dom.js'
import { address, get } from './service.js'
import { language, momentText, t } from './words.js'

/** Shows the pictures of a link to whoever has its secret. */
export async function showShare(secret) {
  const main = h('main.shared')
  document.body.replaceChildren(main)
  document.title = t('share.title')
  try {
    const { title, titles, expires, pictures, results } = await get(`shared/${secret}`)
    const cell = (path, alt, name, picture = {}) => {
      const url = (query) => address(`shared/${secret}/${path}`, query)
      return h('figure', {}, pictureElement(picture, url, alt), h('figcaption', {}, h('a.button.primary', { href: url(), download: name }, t('share.save'))))
    }
    const cells = [
      ...results.map(({ file }) => cell(`results/${file.replace('.jpg', '')}`, t('share.strip'), file)),
      ...pictures.flatMap(({ number, stage, name, views, ...picture }) => [
        cell(number, t(picture.duration_ms ? 'session.clipOf' : 'session.pictureOf', { stage }), name, picture),
        ...views.map((view) => cell(`${number}?view=${view.role}`, t('session.pictureOf', { stage: `${stage}, ${view.role}` }), view.name)),
      ]),
    ]
    main.append(h('h1', {}, titles[language()] ?? title), h('p', {}, t('share.text', { time: momentText(expires) })), h('div.review', {}, cells))
  } catch (error) {
    main.className = 'message'
    main.append(h('div.logo', { role: 'img', 'aria-label': 'gst-capture' }), h('h1', {}, t('share.title')), h('p', {}, t(error.status === 404 ? 'share.gone' : 'error.unknown')))
  }
}

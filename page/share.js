// Part of gst-capture. Apache License 2.0, see LICENSE.

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
    const cell = (path, alt, name) => {
      const url = address(`shared/${secret}/${path}`)
      return h('figure', {}, h('img', { src: url, alt }), h('figcaption', {}, h('a.button.primary', { href: url, download: name }, t('share.save'))))
    }
    const cells = [
      ...results.map(({ file }) => cell(`results/${file.replace('.jpg', '')}`, t('share.strip'), file)),
      ...pictures.flatMap(({ number, stage, name, views }) => [
        cell(number, t('session.pictureOf', { stage }), name),
        ...views.map((view) => cell(`${number}?view=${view.role}`, t('session.pictureOf', { stage: `${stage}, ${view.role}` }), view.name)),
      ]),
    ]
    main.append(h('h1', {}, titles[language()] ?? title), h('p', {}, t('share.text', { time: momentText(expires) })), h('div.review', {}, cells))
  } catch (error) {
    main.className = 'message'
    main.append(h('div.logo', { role: 'img', 'aria-label': 'gst-capture' }), h('h1', {}, t('share.title')), h('p', {}, t(error.status === 404 ? 'share.gone' : 'error.unknown')))
  }
}

import { contentRules, isPageAddress } from '@sluice/contract'
import { Marked } from 'marked'
import sanitize from 'sanitize-html'

/** Elements that are removed with their content, which is not text for readers. */
const withContent = ['script', 'style', 'noscript', 'template', 'title', 'textarea', 'select', 'option', 'object', 'noembed', 'noframes']

/** Elements of HTML that are not allowed; anything else in angle brackets is text that somebody wrote, such as `<model>`. */
const refused = new Set([
  ...withContent,
  ...['applet', 'area', 'audio', 'base', 'basefont', 'body', 'button', 'canvas', 'data', 'datalist', 'dialog', 'dir', 'embed', 'fieldset'],
  ...['form', 'frame', 'frameset', 'head', 'hgroup', 'html', 'image', 'input', 'isindex', 'keygen', 'label', 'legend', 'link', 'listing'],
  ...[
    'map',
    'marquee',
    'math',
    'menu',
    'meta',
    'meter',
    'optgroup',
    'output',
    'param',
    'plaintext',
    'portal',
    'progress',
    'search',
    'slot',
  ],
  ...['source', 'svg', 'track', 'video', 'xmp'],
])

const tag = /<(?=\/?([a-z][^\s/>]*))/gi

function isElement(name: string): boolean {
  const known = name.toLowerCase()
  return refused.has(known) || contentRules.tags.includes(known)
}

/** Escapes angle brackets around anything that is not an HTML element. */
function withTextTags(html: string): string {
  return html.replace(tag, (bracket, name: string) => (isElement(name) ? bracket : '&lt;'))
}

function cleanAttributes(tagName: string, attributes: Readonly<Record<string, string>>): sanitize.Attributes {
  const kept = Object.entries(attributes).flatMap(([name, value]) => {
    const allowed = contentRules.valueOf(tagName, name, value)
    return allowed === null ? [] : [[name, allowed] as const]
  })
  return { ...Object.fromEntries(kept), ...contentRules.forcedOf(tagName) }
}

const options: sanitize.IOptions = {
  allowedTags: [...contentRules.tags],
  allowedAttributes: Object.fromEntries(contentRules.tags.map((name) => [name, [...contentRules.attributesOf(name)]])),
  nonTextTags: withContent,
  // `valueOf` says more exactly which addresses may stand where.
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'] },
  allowProtocolRelative: false,
  parseStyleAttributes: false,
  transformTags: { '*': (tagName, attributes) => ({ tagName, attribs: cleanAttributes(tagName, attributes) }) },
}

/** Sanitizes HTML that everybody sees. */
export function publicHtml(html: string): string {
  return html === '' ? '' : sanitize(withTextTags(html), options)
}

const markdown = new Marked({ gfm: true, renderer: { html: ({ text }) => withTextTags(text) } })

/**
 * Renders Markdown to sanitized HTML; the address of a page is not changed. Compatible consoles render the result as Markdown once more,
 * which leaves a single element without blank lines unchanged.
 */
export function publicMarkdown(text: string): string {
  const source = text.trim()
  if (source === '' || isPageAddress(source)) return source
  const html = sanitize(markdown.parse(source, { async: false }), options)
  const lines = html.replace(/<pre[\s\S]*?<\/pre>/g, (block) => block.replaceAll('\n', '&#10;'))
  return `<div>${lines.trim().replace(/\n\s*\n/g, '\n')}</div>`
}

/** Caches the results for the last few texts, which are read often and seldom change. */
function remembering(make: (text: string) => string): (text: string) => string {
  const made = new Map<string, string>()
  return (text) => {
    const known = made.get(text)
    if (known !== undefined) return known
    if (made.size >= remembered) made.clear()
    const html = make(text)
    made.set(text, html)
    return html
  }
}

const remembered = 8

export const rememberedHtml = remembering(publicHtml)
export const rememberedMarkdown = remembering(publicMarkdown)

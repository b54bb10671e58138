import { contentRules } from '@sluice/contract'
import { Marked } from 'marked'
import sanitize from 'sanitize-html'
import { type PublicContent, withoutBlankLines } from './plain-content.ts'

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

/** The start of a tag with its name. Names of elements are shorter; a longer one would be read again from each bracket in it. */
const tag = /<(?=\/?([a-z][^\s/>]{0,31}))/gi

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

const rules: sanitize.IOptions = {
  allowedTags: [...contentRules.tags],
  allowedAttributes: Object.fromEntries(contentRules.tags.map((name) => [name, [...contentRules.attributesOf(name)]])),
  nonTextTags: withContent,
  // `valueOf` says more exactly which addresses may stand where.
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'] },
  allowProtocolRelative: false,
  parseStyleAttributes: false,
}

function sanitized(html: string): PublicContent {
  const frames = new Set<string>()
  const transform: sanitize.Transformer = (tagName, attributes) => {
    const attribs = cleanAttributes(tagName, attributes)
    if (tagName === 'iframe' && attribs['src'] !== undefined) frames.add(attribs['src'])
    return { tagName, attribs }
  }
  return { html: sanitize(html, { ...rules, transformTags: { '*': transform } }), frames: [...frames] }
}

/** Sanitizes HTML that everybody sees. */
export function publicHtml(html: string): PublicContent {
  return sanitized(withTextTags(html))
}

const markdown = new Marked({ gfm: true, renderer: { html: ({ text }) => withTextTags(text) } })

/**
 * Renders Markdown to sanitized HTML. Compatible consoles render the result as Markdown once more, which leaves a single element without
 * blank lines unchanged.
 */
export function publicMarkdown(source: string): PublicContent {
  const { html, frames } = sanitized(markdown.parse(source, { async: false }))
  return { html: `<div>${withoutBlankLines(withPreInOneLine(html))}</div>`, frames }
}

function withPreInOneLine(html: string): string {
  const [before = '', ...parts] = html.split('<pre')
  const blocks = parts.map((part) => {
    const end = part.indexOf('</pre>')
    return end < 0 ? inOneLine(part) : inOneLine(part.slice(0, end)) + part.slice(end)
  })
  return [before, ...blocks].join('<pre')
}

const inOneLine = (text: string): string => text.replaceAll('\n', '&#10;')

/**
 * The HTML that administrators may put into the public texts: notice, about, home page and footer. The server sanitizes them when they are
 * read, because other consoles show them unchanged, and our console sanitizes them again; both by this list. It allows nothing that runs:
 * no script, form or event handler, and only addresses of pages and images. Pages of other sites are framed in a sandbox.
 */
const tags: readonly string[] = [
  ...['a', 'abbr', 'address', 'article', 'aside', 'b', 'bdi', 'bdo', 'blockquote', 'br', 'caption', 'center', 'cite', 'code', 'col'],
  ...['colgroup', 'dd', 'del', 'details', 'dfn', 'div', 'dl', 'dt', 'em', 'figcaption', 'figure', 'font', 'footer', 'h1', 'h2', 'h3', 'h4'],
  ...['h5', 'h6', 'header', 'hr', 'i', 'iframe', 'img', 'ins', 'kbd', 'li', 'main', 'mark', 'nav', 'ol', 'p', 'picture', 'pre', 'q', 'rp'],
  ...['rt', 'ruby', 's', 'samp', 'section', 'small', 'span', 'strike', 'strong', 'sub', 'summary', 'sup', 'table', 'tbody', 'td', 'tfoot'],
  ...['th', 'thead', 'time', 'tr', 'tt', 'u', 'ul', 'var', 'wbr'],
]

const everywhere = ['align', 'class', 'dir', 'lang', 'role', 'style', 'title', 'valign'] as const

const ofTag: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'rel', 'target'],
  col: ['span', 'width'],
  colgroup: ['span', 'width'],
  details: ['open'],
  font: ['color', 'face', 'size'],
  iframe: ['allowfullscreen', 'frameborder', 'height', 'loading', 'referrerpolicy', 'sandbox', 'scrolling', 'src', 'width'],
  img: ['alt', 'height', 'loading', 'src', 'width'],
  li: ['value'],
  ol: ['reversed', 'start', 'type'],
  table: ['border', 'cellpadding', 'cellspacing', 'width'],
  td: ['bgcolor', 'colspan', 'height', 'rowspan', 'width'],
  th: ['bgcolor', 'colspan', 'height', 'rowspan', 'scope', 'width'],
  time: ['datetime'],
  tr: ['bgcolor'],
}

/** Allowed addresses, by tag and attribute. */
const addresses: Readonly<Record<string, RegExp>> = {
  'a href': /^(?:https?:|mailto:|tel:|\/(?!\/)|#|\?)/i,
  'img src': /^(?:https?:|\/(?!\/)|data:image\/(?:png|jpe?g|gif|webp|avif);base64,)/i,
  'iframe src': /^https?:\/\//i,
}

/** What the sandbox allows a framed page. Without `allow-same-origin` it has none of our rights; it cannot navigate the outer page. */
const frameSandbox = 'allow-forms allow-popups allow-popups-to-escape-sandbox allow-scripts'

/** Attributes that replace whatever a tag has under these names. */
const forced: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  a: { rel: 'noopener noreferrer nofollow', target: '_blank' },
  iframe: { sandbox: frameSandbox, referrerpolicy: 'no-referrer', loading: 'lazy' },
}

/** A declaration of a style. It may load images only, and may not move the element out of its place in the page. */
const declaration = /^\s*(?<property>-{0,2}[a-z][a-z\d-]*)\s*:(?<value>[^<>\\{}@]*)$/i
const loads = /(?:url|image|image-set|src|attr|element|expression|paint)\s*\(/i
const loadsImage = /url\(\s*(["']?)https?:\/\/[^\s"'()]*\1\s*\)/gi

function isHarmless(text: string): boolean {
  const { property = '', value = '' } = declaration.exec(text)?.groups ?? {}
  if (property === '' || /behavior|binding/i.test(property) || value.includes('/*')) return false
  if (/^position$/i.test(property.trim()) && /fixed|sticky/i.test(value)) return false
  return !loads.test(value.replace(loadsImage, '')) && !/(?:java|vb)script\s*:|var\s*\(/i.test(value)
}

/** A quoted string, or a pair of brackets with at most one level of brackets inside. */
const closed = /"[^"]*"|'[^']*'|\((?:[^()]|\([^()]*\))*\)/
const wholeStyle = new RegExp(`^(?:${closed.source}|[^"'()])*$`)
const declarations = new RegExp(`(?:${closed.source}|[^;"'()])+`, 'g')

/** Longest style attribute: more than people write, and short enough to look through. */
const styleMax = 4_096

/** The harmless declarations of a style attribute; none if it is too long or its quotes or brackets are not closed. */
function cleanStyle(style: string): string {
  if (style.length > styleMax || !wholeStyle.test(style)) return ''
  return (style.match(declarations) ?? [])
    .map((text) => text.trim())
    .filter(isHarmless)
    .join('; ')
}

/** The rules for both sanitizers: which tags and attributes are allowed, and what an attribute becomes. */
export const contentRules = {
  tags,
  /** Every attribute that some tag may have. */
  attributes: [...new Set<string>([...everywhere, ...Object.values(ofTag).flat()])],
  /** Attributes of a tag by name. */
  attributesOf: (tag: string): readonly string[] => [...everywhere, ...(ofTag[tag] ?? [])],
  /** Attributes that are set on each element of a tag. */
  forcedOf: (tag: string): Readonly<Record<string, string>> => forced[tag] ?? {},
  /** The sanitized value of an attribute; `null`: the attribute is removed. */
  valueOf(tag: string, attribute: string, value: string): string | null {
    if (!contentRules.attributesOf(tag).includes(attribute)) return null
    if (attribute === 'style') return cleanStyle(value) || null
    const form = addresses[`${tag} ${attribute}`]
    // Browsers ignore control characters and blanks in front of an address.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
    return form === undefined || form.test(value.replace(/[\u0000-\u0020\u007f-\u00a0]/g, '')) ? value : null
  },
} as const

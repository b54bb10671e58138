import type { OptionKey } from '@sluice/contract'
import sanitize from 'sanitize-html'

/** Options whose text is shown to every visitor, and how each is cleaned before it is stored. */
const cleaners: Partial<Readonly<Record<OptionKey, (text: string) => string>>> = {
  Footer: sanitizeHtml,
  Notice: sanitizeMarkdown,
  About: sanitizeMarkdown,
  HomePageContent: sanitizeMarkdown,
}

export function cleanOption(key: OptionKey, text: string): string {
  return cleaners[key]?.(text) ?? text
}

/**
 * What administrators may put on everybody's pages: text, links, lists, tables and pictures. No script, form, frame or event handler,
 * and neither style nor class, with which a footer could cover the page. The console cleans it once more where it is shown.
 */
const allowed: sanitize.IOptions = {
  allowedTags: [...sanitize.defaults.allowedTags, 'img', 'center', 'details', 'summary', 'del', 'ins'],
  allowedAttributes: {
    '*': ['title', 'align'],
    a: ['href', 'name', 'target', 'rel'],
    img: ['src', 'alt', 'width', 'height'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'] },
  transformTags: { a: sanitize.simpleTransform('a', { rel: 'noopener noreferrer nofollow', target: '_blank' }) },
}

function sanitizeHtml(html: string): string {
  return sanitize(html, allowed)
}

/** The HTML in a Markdown text is cleaned like any other; the signs that Markdown itself is written with stay what they are. */
function sanitizeMarkdown(text: string): string {
  // An address in angle brackets is a link in Markdown and no tag; bare it is the same link.
  const bare = text.replace(/<(https?:\/\/[^\s<>"']+)>/gi, '$1')
  return sanitizeHtml(bare).replace(/<[^>]*>|[^<]+/g, (part) => (part.startsWith('<') ? part : unescapeSigns(part)))
}

/** Of text between tags. None of these can begin a tag or an entity: they come back only where what follows cannot be the name of one. */
function unescapeSigns(text: string): string {
  return text
    .replace(/&lt;(?=[\s\d=])/g, '<')
    .replaceAll('&gt;', '>')
    .replace(/&amp;(?!#?\w+;)/g, '&')
}

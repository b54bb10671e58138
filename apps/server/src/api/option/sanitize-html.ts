import sanitize from 'sanitize-html'

/**
 * What administrators may put on everybody's pages: text, links, lists, tables and pictures. No script, form, frame or event handler,
 * and neither style nor class, with which a footer could cover the page. The console cleans it once more where it is shown.
 */
export function sanitizeHtml(html: string): string {
  return sanitize(html, {
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
  })
}

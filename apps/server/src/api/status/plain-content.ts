/** What visitors get of a public text, and the addresses of the pages that it shows in frames. */
export interface PublicContent {
  readonly html: string
  readonly frames: readonly string[]
}

/** A text that could not be rendered, as it was written. */
export function plainContent(text: string): PublicContent {
  const escaped = text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
  return { html: `<div>${withoutBlankLines(escaped).replaceAll('\n', '<br>')}</div>`, frames: [] }
}

/** Blank lines end an element where HTML is read as Markdown. */
export const withoutBlankLines = (text: string): string => text.trim().replace(/\n\s*\n/g, '\n')

/** Its libraries take some megabytes, so they are loaded with the first text that is not empty. */
const loadContent = (): Promise<typeof import('./public-content.ts')> => import('./public-content.ts')

/** HTML, sanitized and cached. */
export const storedHtml = async (html: string): Promise<string> => (html === '' ? '' : (await loadContent()).rememberedHtml(html))

/** The same of Markdown. */
export const storedMarkdown = async (text: string): Promise<string> => (text === '' ? '' : (await loadContent()).rememberedMarkdown(text))

/** What visitors get of a public text. The cache is left to the stored texts. */
export async function renderText(kind: 'markdown' | 'page' | 'html', text: string): Promise<string> {
  if (text.trim() === '') return ''
  const { publicHtml, publicMarkdown } = await loadContent()
  return kind === 'html' ? publicHtml(text) : publicMarkdown(text)
}

import { turning } from './text.ts'

/** The languages in which the console shows requests. */
export const codeLanguages = ['curl', 'python', 'javascript'] as const
export type CodeLanguage = (typeof codeLanguages)[number]

export const codeLanguageNames: Readonly<Record<CodeLanguage, string>> = { curl: 'curl', python: 'Python', javascript: 'JavaScript' }

/** What stands for the key: a real one must not be copied along by accident. */
export const keyVariable = 'SLUICE_KEY'

export type RequestBody = Readonly<Record<string, unknown>>

/** JSON in which marks that turn the direction of a line are escaped, so that what is read is what is sent. */
export function jsonOf(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(turning, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`)
}

/** A request as a command of a shell. */
export function curlOf(url: string, body: RequestBody): string {
  // A quote inside of single quotes of a shell. Texts in JSON have no line breaks, so only its own lines move in.
  const json = jsonOf(body, 2).replaceAll("'", "'\\''").replaceAll('\n', '\n  ')
  const lines = [
    `curl${body['stream'] === true ? ' -N' : ''} ${url} \\`,
    `  -H "Authorization: Bearer $${keyVariable}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '${json}'`,
  ]
  return lines.join('\n')
}

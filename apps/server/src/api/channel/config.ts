/** Members of a channel's configuration that go in and never come out. */
const secretMembers = ['sk', 'vertex_ai_adc']

type Config = Readonly<Record<string, unknown>>

function parse(text: string): Config {
  // Holds: only texts that the contract has checked to be JSON objects are stored.
  return text === '' ? {} : (JSON.parse(text) as Config)
}

/** What a form may see: secret members blank. */
export function maskConfig(text: string): string {
  const shown = Object.entries(parse(text)).map(([name, value]) => [name, secretMembers.includes(name) ? '' : value])
  return JSON.stringify(Object.fromEntries(shown))
}

/** What a form sent over what is stored: a secret member that came back blank stays as it was. */
export function mergeConfig(stored: string, sent: string): string {
  const before = parse(stored)
  const merged = Object.entries(parse(sent)).map(([name, value]) => [
    name,
    secretMembers.includes(name) && value === '' ? (before[name] ?? '') : value,
  ])
  return JSON.stringify(Object.fromEntries(merged))
}

/** Whether a secret member that is stored stays as it is. `null` and missing: nothing was sent. */
export function keepsSecretMembers(stored: string, sent: string | null | undefined): boolean {
  const before = parse(stored)
  const after = sent === undefined || sent === null ? before : parse(sent)
  return secretMembers.some((name) => (before[name] ?? '') !== '' && (after === before || after[name] === ''))
}

/** Members of a channel's configuration that go in and never come out. */
const secretMembers = ['sk', 'vertex_ai_adc']

/**
 * Members that a form always gets, empty where nothing is stored. Consoles of this family join them to a key when each of them is not
 * empty, and a member that is missing is not empty to them.
 */
const shownMembers = ['region', 'sk', 'ak', 'user_id', 'vertex_ai_project_id', 'vertex_ai_adc']

type Config = Readonly<Record<string, unknown>>

function parse(text: string): Config {
  // Holds: only texts that the contract has checked to be JSON objects are stored.
  return text === '' ? {} : (JSON.parse(text) as Config)
}

/** What a form may see: every known member, secret ones blank. */
export function maskConfig(text: string): string {
  const stored = parse(text)
  const known = shownMembers.map((name) => [name, secretMembers.includes(name) ? '' : (stored[name] ?? '')])
  return JSON.stringify({ ...stored, ...Object.fromEntries(known) })
}

/** What a form sent over what is stored: a secret member that came back blank stays as it was. The stored text where that changes nothing. */
export function mergeConfig(stored: string, sent: string): string {
  const before = parse(stored)
  const merged = Object.entries(parse(sent)).map(([name, value]): [string, unknown] => [
    name,
    secretMembers.includes(name) && (value ?? '') === '' ? (before[name] ?? '') : value,
  ])
  const after = withoutEmpty(merged)
  return after === withoutEmpty(Object.entries(before)) ? stored : after
}

/** The same text for every spelling of a configuration: a member that is shown empty is as good as one that is missing. */
function withoutEmpty(members: ReadonlyArray<readonly [string, unknown]>): string {
  const set = members.filter(([name, value]) => !shownMembers.includes(name) || (value ?? '') !== '')
  return set.length === 0 ? '' : JSON.stringify(Object.fromEntries(set.toSorted(([a], [b]) => (a < b ? -1 : 1))))
}

/** Whether a secret member that is stored stays as it is. `null` and missing: nothing was sent. */
export function keepsSecretMembers(stored: string, sent: string | null | undefined): boolean {
  const before = parse(stored)
  const after = sent === undefined || sent === null ? before : parse(sent)
  return secretMembers.some((name) => (before[name] ?? '') !== '' && (after === before || after[name] === ''))
}

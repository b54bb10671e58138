import { tryParseJson } from '../../lib/parse-json.ts'

/** Write-only members of a channel's configuration. */
const secretMembers = ['sk', 'vertex_ai_adc']

/**
 * Members that a form always gets, empty if nothing is stored. Compatible consoles join them to a key when none of them is `''`, and
 * treat a missing member as set.
 */
const visibleMembers = ['region', 'sk', 'ak', 'user_id', 'vertex_ai_project_id', 'vertex_ai_adc']

type Config = Readonly<Record<string, unknown>>

function parse(text: string): Config {
  const config = text === '' ? undefined : tryParseJson(text)
  return typeof config === 'object' && config !== null && !Array.isArray(config) ? { ...config } : {}
}

/** The configuration for a form: every known member, secret ones blank. */
export function maskConfig(text: string): string {
  const stored = parse(text)
  const known = visibleMembers.map((name) => [name, secretMembers.includes(name) ? '' : (stored[name] ?? '')])
  return JSON.stringify({ ...stored, ...Object.fromEntries(known) })
}

/** Merges a form's members into the stored ones: a blank secret keeps its value. Returns the stored text itself if nothing changes. */
export function mergeConfig(stored: string, input: string): string {
  const before = parse(stored)
  const merged = Object.entries(parse(input)).map(([name, value]): [string, unknown] => [
    name,
    secretMembers.includes(name) && (value ?? '') === '' ? (before[name] ?? '') : value,
  ])
  const after = withoutEmpty(merged)
  return after === withoutEmpty(Object.entries(before)) ? stored : after
}

/** The normal form of a configuration: a shown member that is empty counts as missing. */
function withoutEmpty(members: ReadonlyArray<readonly [string, unknown]>): string {
  const set = members.filter(([name, value]) => !visibleMembers.includes(name) || (value ?? '') !== '')
  return set.length === 0 ? '' : JSON.stringify(Object.fromEntries(set.toSorted(([a], [b]) => (a < b ? -1 : 1))))
}

/** Whether a stored secret member stays unchanged. `null` and missing = nothing was sent. */
export function keepsSecretMembers(stored: string, input: string | null | undefined): boolean {
  const before = parse(stored)
  const after = input === undefined || input === null ? before : parse(input)
  return secretMembers.some((name) => (before[name] ?? '') !== '' && (after === before || after[name] === ''))
}

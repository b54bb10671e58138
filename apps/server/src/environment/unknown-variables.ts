import type { Variables } from './variables.ts'

/** Beginnings of our variables that those of other programs in the same container hardly have. */
const ownPrefixes = ['SLUICE_', 'INITIAL_ROOT_', 'RESULTS_S3_', 'BACKUP_', 'DATABASE_', 'CLICKHOUSE_', 'SHUTDOWN_', 'TRUSTED_', 'CONSOLE_']
/** Shorter names differ from those of other programs by a letter: of them only a further or a missing letter counts. */
const comparedMin = 8
const shortMin = 4
/** Variables of products that are replaced by this one, and ours for the same. */
const ofPeers: Readonly<Record<string, string>> = { SQL_DSN: 'DATABASE_URL' }
const comparedMax = 64

/**
 * What Kubernetes sets in every container for a service, and old container links too: `SLUICE_SERVICE_HOST`, `SLUICE_SERVICE_PORT_HTTP`,
 * `SLUICE_PORT_3000_TCP_ADDR`, and `SLUICE_PORT`, whose value is an address (https://kubernetes.io/docs/concepts/services-networking/service/,
 * read 2026-11-30).
 */
function isServiceLink(name: string, value: string): boolean {
  if (name.endsWith('_SERVICE_HOST') || name.includes('_SERVICE_PORT')) return true
  if (/_PORT_\d{1,5}_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name)) return true
  return name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value)
}

/**
 * Warnings about variables that look like ours but are not read, by name and never with their values.
 * @param known the names of all variables that are read
 * @param secrets those that can be read from files
 */
export function warnOfUnknown(variables: Variables, known: ReadonlySet<string>, secrets: readonly string[]): readonly string[] {
  const all = new Set([...known, ...secrets.map((name) => `${name}_FILE`)])
  return Object.entries(variables).flatMap(([name, value = '']) => {
    if (all.has(name) || value === '' || name.length > comparedMax || isServiceLink(name, value)) return []
    const stem = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : ''
    if (stem.length >= comparedMin && known.has(stem)) return [`${name} has no effect: ${stem} holds no secret and is not read from a file`]
    const nearest = ofPeers[name] ?? nearestOf(name, all)
    if (nearest !== null) return [`${name} is not a variable of Sluice; did you mean ${nearest}?`]
    return ownPrefixes.some((prefix) => name.startsWith(prefix)) ? [`${name} is not a variable of Sluice`] : []
  })
}

/** The name that was probably meant; `null` = none is near. */
function nearestOf(name: string, names: ReadonlySet<string>): string | null {
  let nearest: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const other of names) {
    const isShort = other.length < comparedMin
    if (other.length < shortMin || other[0] !== name[0] || (isShort && other.length === name.length)) continue
    const max = isShort ? 1 : Math.floor(other.length / 5)
    if (Math.abs(other.length - name.length) > max) continue
    const edits = editsBetween(name, other)
    if (edits > max || edits >= least) continue
    nearest = other
    least = edits
  }
  return nearest
}

/** The Levenshtein distance of two short texts. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (const [at, otherLetter] of [...other].entries())
      next.push(Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + (letter === otherLetter ? 0 : 1)))
    row = next
  }
  return row[other.length] ?? 0
}

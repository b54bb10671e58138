import { isOptionKey, type OptionKey, optionKeys, options, reliantsOf, role, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import type { Seal } from '../../lib/seal.ts'
import { mayVouch } from '../authorize.ts'
import type { ParseOption } from './option-parser.ts'
import { listStoredOptions } from './queries.ts'
import { hostOf } from './secret-hosts.ts'
import { openSecret } from './stored-secrets.ts'

/** An option that somebody has set. */
export interface Entry {
  readonly text: string
  /** The text in the database; for secrets it differs at each saving. */
  readonly stored: string
  readonly setByRole: number
  /** For a secret, the server that it was entered for. Missing if the address has not changed since. */
  readonly host?: string
  /** A value that is not in force, because root has not approved it. */
  readonly pending?: Proposal
}

interface Proposal {
  readonly text: string
  /** The account that proposed it. */
  readonly by: number
}

export type Entries = ReadonlyMap<OptionKey, Entry>

export async function readEntries(db: Db, seal: Seal, parse: ParseOption): Promise<Entries> {
  const entries = new Map<OptionKey, Entry>()
  for (const { key, value, set_by_role, pending, pending_by: by } of await listStoredOptions(db)) {
    const opened = isOptionKey(key) ? openValue(seal, key, value) : null
    // A stored value that this version cannot read is replaced by the default.
    if (isOptionKey(key) && opened !== null && parse(key, opened.text) !== null)
      entries.set(key, {
        ...{ ...opened, stored: value, setByRole: set_by_role },
        ...(pending !== null && parse(key, pending) !== null && { pending: { text: pending, by } }),
      })
  }
  return entries
}

/** The options whose stored values cannot be read, so that their defaults apply, or whose proposed values cannot, which nobody can approve. */
export async function listUnreadable(db: Db, seal: Seal, parse: ParseOption): Promise<readonly OptionKey[]> {
  const stored = await listStoredOptions(db)
  return stored.flatMap(({ key, value, pending }) => {
    if (!isOptionKey(key)) return []
    const opened = openValue(seal, key, value)
    const isValue = opened !== null && parse(key, opened.text) !== null
    return isValue && (pending === null || parse(key, pending) !== null) ? [] : [key]
  })
}

/** Whether root has to confirm the value, or to approve a proposed one. */
export function isWaiting(key: OptionKey, entry: Entry | undefined): boolean {
  return entry?.pending !== undefined || isUnconfirmed(key, entry)
}

/** Whether a value is in force that a role below root has set, and that something relies on. */
export function isUnconfirmed(key: OptionKey, entry: Entry | undefined): boolean {
  return entry !== undefined && reliantsOf(key).length > 0 && !mayVouch({ role: entry.setByRole })
}

/** `null` = sealed with another master key; it must be entered again. */
function openValue(seal: Seal, key: OptionKey, stored: string): Pick<Entry, 'text' | 'host'> | null {
  return options[key].secret ? openSecret(seal, key, stored) : { text: stored }
}

export function textOf(entries: Entries, key: OptionKey): string {
  return entries.get(key)?.text ?? options[key].fallback
}

export function setterOf(entries: Entries, key: OptionKey): number {
  return entries.get(key)?.setByRole ?? role.root
}

export function settingsOf(entries: Entries, parse: ParseOption): Settings {
  // Holds: each value is what its own row parsed, which is how `Settings` is typed.
  const all = Object.fromEntries(optionKeys.map((key) => [key, parse(key, textOf(entries, key))])) as Settings
  const keptBack = [...entries].filter(([key, { host }]) => host !== undefined && host !== hostOf(key, all))
  return keptBack.length === 0 ? all : { ...all, ...Object.fromEntries(keptBack.map(([key]) => [key, ''])) }
}

import type { SafeStorage, StorageKey } from './storage.ts'

/** How long unsaved entries are kept. */
const draftMs = 24 * 60 * 60 * 1000

const prefix = 'ui-draft:'

/** Fields with these names hold secrets, or texts that often contain some; drafts leave them out. */
const secret = /password|secret|code|token$|^(?:key|config|headers|proxy)$/i

type Values = Readonly<Record<string, unknown>>

interface Draft {
  readonly atMs: number
  /** The changed fields only, so that a draft does not undo what somebody else has saved since. */
  readonly values: Values
  /** Members of the row as they were shown when these fields were changed, of those that a save compares. */
  readonly baseline: Values
}

/** The entries of one account on one page. Another account has other keys, so it never sees them. */
export const draftKey = (accountId: number, page: string): StorageKey => `${prefix}${accountId}:${page}`

/** The fields whose values differ from what the form was filled with. */
export function changedOf(values: Values, defaults: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name])))
}

export function isSecretField(name: string): boolean {
  return secret.test(name)
}

/** Stores the changed fields without secrets, and what was shown of them; nothing if there are none. */
export function writeDraft(storage: SafeStorage, key: StorageKey, { atMs, values, baseline }: Draft): void {
  const harmless = Object.fromEntries(Object.entries(values).filter(([name]) => !isSecretField(name)))
  if (Object.keys(harmless).length === 0) storage.remove(key)
  else storage.writeJson(key, { atMs, values: harmless, baseline: membersOf(baseline, Object.keys(harmless)) })
}

/** The members with these names. */
export function membersOf(values: object, names: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)))
}

/** The draft of a page; `null` = none, or it is too old. */
export function readDraft(storage: SafeStorage, key: StorageKey, nowMs: number): Draft | null {
  const stored = storage.readJson(key)
  if (typeof stored !== 'object' || stored === null || !('atMs' in stored) || !('values' in stored)) return null
  const { atMs, values } = stored
  if (typeof atMs !== 'number' || typeof values !== 'object' || values === null) return null
  const baseline = 'baseline' in stored && typeof stored.baseline === 'object' && stored.baseline !== null ? stored.baseline : {}
  // Holds: objects that were read from JSON have string keys.
  return nowMs - atMs < draftMs ? { atMs, values: values as Values, baseline: baseline as Values } : null
}

/** Removes the drafts of all accounts that are too old, or that cannot be read. */
export function removeOldDrafts(storage: SafeStorage, nowMs: number): void {
  for (const key of storage.keys(prefix)) if (readDraft(storage, key, nowMs) === null) storage.remove(key)
}

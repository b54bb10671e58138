import { isOptionKey, type OptionKey, optionKeys, options, type Reliant, reliantsOf, role, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { createMutex } from '../../lib/mutex.ts'
import type { Seal } from '../../lib/seal.ts'
import { mayVouch } from '../authorize.ts'
import { checkSetter, needsApproval } from './approval.ts'
import { type Entries, type Entry, isUnconfirmed, isWaiting, listUnreadable, readEntries, setterOf, settingsOf, textOf } from './entries.ts'
import { checkNeeds } from './option-needs.ts'
import { createOptionParser, type ParseOption } from './option-parser.ts'
import { lockOptions, saveOptions } from './queries.ts'
import { changedTable, checkTypes, effectiveTable } from './ratio-tables.ts'
import { hostOf, isTargetComplete, secretsWithChangedHost } from './secret-hosts.ts'
import { sealSecret } from './stored-secrets.ts'

/** The options as the server uses them: typed, complete, and replaced atomically. */
export interface SettingsStore {
  current(): Settings
  /** Values as text for the settings pages, without secret options. */
  texts(): ReadonlyArray<OptionText>
  /**
   * An empty secret keeps the stored one, unless `clear` is set. What needs root's approval is stored beside the value in force.
   * @throws AppError option_unknown, option_needs_root, option_value_invalid, ratio_invalid, ratio_type_unknown, option_incomplete,
   * option_in_use
   */
  save(option: OptionChange): Promise<Saved>
  /** Options that a lower role has set or proposed. The values of secret ones are empty. */
  waiting(): Waiting
  /** Of every option. */
  details(): readonly Detail[]
  /** Whether none of the options that it relies on is pending super-admin approval. */
  isConfirmed(reliant: Reliant): boolean
  /** Whether root has set or confirmed the option, or nobody has set it. */
  isVouched(key: OptionKey): boolean
  /** Whether the option has a stored value. */
  isSet(key: OptionKey): boolean
  /** Confirms the waiting options as they were shown, and puts proposed values in force. @throws AppError pending_options_changed */
  confirm(revision: string, alsoWrite?: AlsoWrite): Promise<void>
  /** Drops the proposed value of an option. @throws AppError pending_options_changed */
  reject(rejected: { readonly key: string; readonly revision: string }, alsoWrite: AlsoWrite): Promise<void>
  /** Options whose stored values cannot be read with this master key or are damaged. Their defaults apply until they are set again. */
  unreadable(): Promise<readonly OptionKey[]>
  /** Reads changes of another process. @returns whether anything was different */
  reload(): Promise<boolean>
}

interface OptionText {
  readonly key: OptionKey
  readonly value: string
}

interface Detail {
  readonly key: OptionKey
  readonly isSet: boolean
  /** A stored secret that is not sent, because it was entered for another server. */
  readonly isKeptBack: boolean
  readonly isWaiting: boolean
  readonly pending: NonNullable<Entry['pending']> | null
}

interface OptionChange {
  readonly key: string
  /** A function gets the options as they are when no other process can change them, so that a part of an option can be replaced. */
  readonly value: string | ((current: Settings) => string)
  /** Removes a secret. */
  readonly clear?: boolean
  /** Who sets it. */
  readonly by: { readonly role: number; readonly id?: number; readonly isProgram?: boolean }
  /** Further writes in the same transaction. */
  readonly alsoWrite?: AlsoWrite
}

type AlsoWrite = (changes: readonly StoredChange[], tx: Db) => Promise<void>

/** An option before and after a change, as text; `null`: it is a secret. */
interface StoredChange {
  readonly key: OptionKey
  readonly before: string | null
  readonly after: string | null
  /** Only proposed: the value in force stays. */
  readonly isPending: boolean
}

interface Saved {
  /** Stored secrets that are not sent, because they were entered for another server than the present one. */
  readonly keptBack: readonly OptionKey[]
  readonly isWaiting: boolean
  readonly isPending: boolean
}

interface WaitingOption extends OptionText {
  /** Whether the value is only proposed. */
  readonly isPending: boolean
  /** The value in force. */
  readonly inForce: string
}

interface Waiting {
  readonly options: readonly WaitingOption[]
  /** Version of the stored values: it differs after each change. */
  readonly revision: string
}

/** Values from an import or a command of the operator count as set by root. */
export const byOperator = { role: role.root } as const

interface SettingsDeps {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Pick<Clock, 'nowMs'>
}

export async function openSettings({ db, seal, clock }: SettingsDeps): Promise<SettingsStore> {
  const parse = createOptionParser()
  let entries: Entries = new Map()
  let current = settingsOf(entries, parse)
  /** Features that rely on a waiting option. */
  let held: ReadonlySet<Reliant> = new Set()
  const saving = createMutex()
  /** The entries at the last reload. */
  let publishedEntries = entries

  /** Saves run one after another, also those of other processes, so that the effective values are those that were stored last. */
  async function alone(work: (tx: Db) => Promise<Entries>): Promise<void> {
    const release = await saving.acquire()
    try {
      const next = await db.transaction().execute(async (tx) => {
        await lockOptions(tx)
        take(await readEntries(tx, seal, parse))
        return await work(tx)
      })
      take(next)
    } finally {
      release()
    }
  }

  async function store(tx: Db, changes: Entries, alsoWrite: AlsoWrite | undefined): Promise<Entries> {
    const rows = [...changes].map(([key, { stored: value, setByRole: set_by_role, pending }]) => ({
      ...{ key, value, set_by_role, pending: pending?.text ?? null, pending_by: pending?.by ?? 0 },
    }))
    await saveOptions(tx, rows)
    await alsoWrite?.(
      [...changes].map(([key, { text, pending }]) => ({
        ...{ key, isPending: pending !== undefined },
        ...(options[key].secret ? unseen : { before: textOf(entries, key), after: text }),
      })),
      tx,
    )
    return new Map([...entries, ...changes])
  }

  function take(next: Entries): void {
    if (Bun.deepEquals(next, entries)) return
    entries = next
    current = settingsOf(entries, parse)
    held = new Set(optionKeys.filter((key) => isUnconfirmed(key, entries.get(key))).flatMap(reliantsOf))
  }

  function newEntry(key: OptionKey, text: string, setByRole: number): Entry {
    if (!options[key].secret) return { text, stored: text, setByRole }
    const host = text === '' ? null : hostOf(key, current)
    return { text, stored: sealSecret(seal, key, { text, host }), setByRole, ...(host === null ? {} : { host }) }
  }

  /** The value in force, with a proposed one beside it. */
  function proposed(key: OptionKey, pending: NonNullable<Entry['pending']>): Entries {
    return new Map([[key, { ...(entries.get(key) ?? newEntry(key, options[key].fallback, role.root)), pending }]])
  }

  /** What root's approval makes of an option. */
  function approved(key: OptionKey): readonly [OptionKey, Entry][] {
    const entry = entries.get(key)
    if (entry === undefined) return []
    const { pending, ...inForce } = entry
    if (pending === undefined) return [[key, { ...inForce, setByRole: role.root }]]
    checkNeeds(key, parse(key, pending.text), current)
    return [[key, newEntry(key, pending.text, role.root)]]
  }

  /** Stores the present server with a secret that has none, before the address changes. */
  function boundToTheirs(key: OptionKey): readonly [OptionKey, Entry][] {
    const entry = entries.get(key)
    return entry === undefined || entry.host !== undefined ? [] : [[key, newEntry(key, entry.text, entry.setByRole)]]
  }

  const waitingKeys = (): readonly OptionKey[] => optionKeys.filter((key) => isWaiting(key, entries.get(key)))

  function waiting(): Waiting {
    const keys = waitingKeys()
    const versions = keys.map((key) => [key, entries.get(key)?.stored, entries.get(key)?.pending])
    const revision = seal.lookup(JSON.stringify(versions), 'options-waiting')
    const pendingOptions = keys.map((key) => {
      const { pending } = entries.get(key) ?? {}
      const inForce = options[key].secret ? '' : textOf(entries, key)
      return { key, value: pending?.text ?? inForce, isPending: pending !== undefined, inForce }
    })
    return { options: pendingOptions, revision }
  }

  const tableBasis = () => ({ settings: current, nowMs: clock.nowMs() })

  take(await readEntries(db, seal, parse))
  publishedEntries = entries
  return {
    current: () => current,
    unreadable: () => listUnreadable(db, seal, parse),
    texts: () =>
      optionKeys
        .filter((key) => !options[key].secret)
        .map((key) => ({ key, value: effectiveTable(key, tableBasis()) ?? textOf(entries, key) })),
    waiting,
    details: () =>
      optionKeys.map((key) => {
        const isSet = textOf(entries, key) !== ''
        const entry = entries.get(key)
        return { key, isSet, isKeptBack: isSet && current[key] === '', isWaiting: isWaiting(key, entry), pending: entry?.pending ?? null }
      }),
    isConfirmed: (reliant) => !held.has(reliant),
    isVouched: (key) => mayVouch({ role: setterOf(entries, key) }),
    isSet: (key) => entries.has(key),

    async save({ key, value, clear = false, by, alsoWrite }) {
      if (!isOptionKey(key)) throw new AppError('option_unknown')
      if (options[key].secret && value === '' && !clear) return { keptBack: [], isWaiting: false, isPending: false }
      let moved: readonly OptionKey[] = []
      await alone(async (tx) => {
        const input = valueText({ value, clear }, current)
        const parsed = parsedValue(key, input, parse)
        checkTypes(key, parsed)
        checkSetter(key, by, current)
        checkNeeds(key, parsed, current)
        const text = changedTable(key, parsed, tableBasis()) ?? input
        const isUnchanged = !options[key].secret && text === textOf(entries, key)
        const setByRole = isUnchanged ? Math.max(by.role, setterOf(entries, key)) : by.role
        if (!isUnchanged && needsApproval(key, parsed, by)) return await store(tx, proposed(key, { text, by: by.id ?? 0 }), alsoWrite)
        const changed = newEntry(key, text, setByRole)
        const after = settingsOf(new Map([...entries, [key, changed]]), parse)
        moved = secretsWithChangedHost(current, after).filter((secret) => textOf(entries, secret) !== '')
        return await store(tx, new Map([[key, changed], ...moved.flatMap(boundToTheirs)]), alsoWrite)
      })
      const keptBack = moved.filter((secret) => current[secret] === '' && isTargetComplete(secret, current))
      const entry = entries.get(key)
      return { keptBack, isWaiting: isWaiting(key, entry), isPending: entry?.pending !== undefined }
    },

    confirm: (revision, alsoWrite) =>
      alone(async (tx) => {
        if (revision !== waiting().revision) throw new AppError('pending_options_changed')
        const changes = new Map(waitingKeys().flatMap(approved))
        return changes.size === 0 ? entries : await store(tx, changes, alsoWrite)
      }),

    reject: ({ key, revision }, alsoWrite) =>
      alone(async (tx) => {
        const { pending, ...kept } = (isOptionKey(key) ? entries.get(key) : undefined) ?? { stored: null }
        if (!isOptionKey(key) || kept.stored === null || pending === undefined || revision !== waiting().revision)
          throw new AppError('pending_options_changed')
        return await store(tx, new Map([[key, kept]]), alsoWrite)
      }),

    async reload() {
      const release = await saving.acquire()
      try {
        take(await readEntries(db, seal, parse))
        const isDifferent = publishedEntries !== entries
        publishedEntries = entries
        return isDifferent
      } finally {
        release()
      }
    },
  }
}

const unseen = { before: null, after: null } as const

function valueText({ value, clear }: { readonly value: OptionChange['value']; readonly clear: boolean }, current: Settings): string {
  if (clear) return ''
  return typeof value === 'string' ? value : value(current)
}

/** @throws AppError option_value_invalid, ratio_invalid */
function parsedValue(key: OptionKey, text: string, parse: ParseOption): unknown {
  const { lengthMax: limit } = options[key]
  if (text.length > limit)
    throw new AppError('option_value_invalid', { messageKey: 'option_value_too_long', params: { limit }, field: 'value' })
  const parsed = parse(key, text)
  if (parsed === null) throw new AppError(parsesRatios(key) ? 'ratio_invalid' : 'option_value_invalid', { params: { name: key } })
  return parsed
}

function parsesRatios(key: OptionKey): boolean {
  return options[key].parse('{}') instanceof Map
}

import { isOptionKey, type OptionKey, optionKeys, options, type Reliant, reliantsOf, role, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { createMutex } from '../../lib/mutex.ts'
import type { Seal } from '../../lib/seal.ts'
import { mayVouch } from '../authorize.ts'
import { checkNeeds } from './option-needs.ts'
import { createOptionParser, type ParseOption } from './option-parser.ts'
import { confirmOptions, listStoredOptions, lockOptions, saveOptions } from './queries.ts'
import { changedTable, checkTypes, shownTable } from './ratio-tables.ts'
import { hostOf, isTargetComplete, secretsSentElsewhere } from './secret-hosts.ts'
import { openSecret, sealSecret } from './stored-secrets.ts'

/** The options as the server uses them: typed, complete, and replaced atomically. */
export interface SettingsStore {
  current(): Settings
  /** Values as text for the settings pages, without secret options. */
  texts(): ReadonlyArray<OptionText>
  /**
   * An empty secret keeps the stored one, unless `clear` is set.
   * @throws AppError option_unknown, option_value_invalid, ratio_invalid, ratio_type_unknown, option_incomplete, option_in_use
   */
  save(option: OptionChange): Promise<Saved>
  /** Options that need root's confirmation, because a lower role set them last. The values of secret ones are empty. */
  waiting(): Waiting
  /** Of every option. */
  details(): readonly Detail[]
  /** Whether none of the options that it relies on waits for root. */
  isConfirmed(reliant: Reliant): boolean
  /** Confirms the waiting options as they were shown. @throws AppError option_waiting_changed */
  confirm(revision: string, alsoWrite?: AlsoWrite): Promise<void>
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
}

interface OptionChange {
  readonly key: string
  /** A function gets the options as they are when no other process can change them, so that a part of an option can be replaced. */
  readonly value: string | ((current: Settings) => string)
  /** Removes a secret. */
  readonly clear?: boolean
  /** Who sets it. */
  readonly by: { readonly role: number }
  /** Further writes in the same transaction. */
  readonly alsoWrite?: AlsoWrite
}

type AlsoWrite = (changes: readonly StoredChange[], tx: Db) => Promise<void>

/** An option before and after a change, as text; `null`: it is a secret. */
interface StoredChange {
  readonly key: OptionKey
  readonly before: string | null
  readonly after: string | null
}

interface Saved {
  /** Stored secrets that are not sent, because they were entered for another server than the present one. */
  readonly keptBack: readonly OptionKey[]
  readonly isWaiting: boolean
}

interface Waiting {
  readonly options: readonly OptionText[]
  /** Version of the stored values: it differs after each change. */
  readonly revision: string
}

/** An option that somebody has set. */
interface Entry {
  readonly text: string
  /** The text in the database; for secrets it differs at each saving. */
  readonly stored: string
  readonly setByRole: number
  /** For a secret, the server that it was entered for. Missing if the address has not changed since. */
  readonly host?: string
}

type Entries = ReadonlyMap<OptionKey, Entry>

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
  let told = entries

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
    const rows = [...changes].map(([key, { stored: value, setByRole: set_by_role }]) => ({ key, value, set_by_role }))
    await saveOptions(tx, rows)
    await alsoWrite?.(
      [...changes].map(([key, { text }]) =>
        options[key].secret ? { key, ...unseen } : { key, before: textOf(entries, key), after: text },
      ),
      tx,
    )
    return new Map([...entries, ...changes])
  }

  function take(next: Entries): void {
    if (Bun.deepEquals(next, entries)) return
    entries = next
    current = settingsOf(entries, parse)
    held = new Set(waitingKeys().flatMap(reliantsOf))
  }

  function newEntry(key: OptionKey, text: string, setByRole: number): Entry {
    if (!options[key].secret) return { text, stored: text, setByRole }
    const host = text === '' ? null : hostOf(key, current)
    return { text, stored: sealSecret(seal, key, { text, host }), setByRole, ...(host === null ? {} : { host }) }
  }

  /** Stores the present server with a secret that has none, before the address changes. */
  function boundToTheirs(key: OptionKey): readonly [OptionKey, Entry][] {
    const entry = entries.get(key)
    return entry === undefined || entry.host !== undefined ? [] : [[key, newEntry(key, entry.text, entry.setByRole)]]
  }

  const waitingKeys = (): readonly OptionKey[] => optionKeys.filter((key) => isWaiting(key, entries.get(key)))

  function waiting(): Waiting {
    const keys = waitingKeys()
    const revision = seal.lookup(JSON.stringify(keys.map((key) => [key, entries.get(key)?.stored])), 'options-waiting')
    return { options: keys.map((key) => ({ key, value: options[key].secret ? '' : textOf(entries, key) })), revision }
  }

  const tableBasis = () => ({ settings: current, nowMs: clock.nowMs() })

  take(await readEntries(db, seal, parse))
  told = entries
  return {
    current: () => current,
    texts: () =>
      optionKeys
        .filter((key) => !options[key].secret)
        .map((key) => ({ key, value: shownTable(key, tableBasis()) ?? textOf(entries, key) })),
    waiting,
    details: () =>
      optionKeys.map((key) => {
        const isSet = textOf(entries, key) !== ''
        return { key, isSet, isKeptBack: isSet && current[key] === '', isWaiting: isWaiting(key, entries.get(key)) }
      }),
    isConfirmed: (reliant) => !held.has(reliant),

    async save({ key, value, clear = false, by, alsoWrite }) {
      if (!isOptionKey(key)) throw new AppError('option_unknown')
      if (options[key].secret && value === '' && !clear) return { keptBack: [], isWaiting: false }
      let moved: readonly OptionKey[] = []
      await alone(async (tx) => {
        const given = givenValue({ value, clear }, current)
        const parsed = parsedValue(key, given, parse)
        checkTypes(key, parsed)
        checkNeeds(key, parsed, current)
        const text = changedTable(key, parsed, tableBasis()) ?? given
        const isUnchanged = !options[key].secret && text === textOf(entries, key)
        const setByRole = isUnchanged ? Math.max(by.role, setterOf(entries, key)) : by.role
        const changed = newEntry(key, text, setByRole)
        const after = settingsOf(new Map([...entries, [key, changed]]), parse)
        moved = secretsSentElsewhere(current, after).filter((secret) => textOf(entries, secret) !== '')
        return await store(tx, new Map([[key, changed], ...moved.flatMap(boundToTheirs)]), alsoWrite)
      })
      const keptBack = moved.filter((secret) => current[secret] === '' && isTargetComplete(secret, current))
      return { keptBack, isWaiting: isWaiting(key, entries.get(key)) }
    },

    confirm: (revision, alsoWrite) =>
      alone(async (tx) => {
        if (revision !== waiting().revision) throw new AppError('option_waiting_changed')
        const keys = waitingKeys()
        const shown = keys.map((key) => ({ key, value: entries.get(key)?.stored ?? '' }))
        if (shown.length === 0) return entries
        if (!(await confirmOptions(tx, shown, role.root))) throw new AppError('option_waiting_changed')
        await alsoWrite?.(
          keys.map((key) => ({ key, ...unseen })),
          tx,
        )
        return new Map([...entries].map(([key, entry]) => [key, keys.includes(key) ? { ...entry, setByRole: role.root } : entry]))
      }),

    async reload() {
      const release = await saving.acquire()
      try {
        take(await readEntries(db, seal, parse))
        const isDifferent = told !== entries
        told = entries
        return isDifferent
      } finally {
        release()
      }
    },
  }
}

const unseen = { before: null, after: null } as const

function givenValue({ value, clear }: { readonly value: OptionChange['value']; readonly clear: boolean }, current: Settings): string {
  if (clear) return ''
  return typeof value === 'string' ? value : value(current)
}

/** @throws AppError option_value_invalid, ratio_invalid */
function parsedValue(key: OptionKey, given: string, parse: ParseOption): unknown {
  const { lengthMax: limit } = options[key]
  if (given.length > limit)
    throw new AppError('option_value_invalid', { messageKey: 'option_value_too_long', params: { limit }, field: 'value' })
  const parsed = parse(key, given)
  if (parsed === null) throw new AppError(parsesRatios(key) ? 'ratio_invalid' : 'option_value_invalid', { params: { name: key } })
  return parsed
}

async function readEntries(db: Db, seal: Seal, parse: ParseOption): Promise<Entries> {
  const entries = new Map<OptionKey, Entry>()
  for (const { key, value, set_by_role } of await listStoredOptions(db)) {
    const opened = isOptionKey(key) ? openValue(seal, key, value) : null
    // A stored value that this version cannot read is replaced by the default.
    if (isOptionKey(key) && opened !== null && parse(key, opened.text) !== null)
      entries.set(key, { ...opened, stored: value, setByRole: set_by_role })
  }
  return entries
}

function isWaiting(key: OptionKey, entry: Entry | undefined): boolean {
  return entry !== undefined && reliantsOf(key).length > 0 && !mayVouch({ role: entry.setByRole })
}

/** `null` = sealed with another master key; it must be entered again. */
function openValue(seal: Seal, key: OptionKey, stored: string): Pick<Entry, 'text' | 'host'> | null {
  return options[key].secret ? openSecret(seal, key, stored) : { text: stored }
}

function parsesRatios(key: OptionKey): boolean {
  return options[key].parse('{}') instanceof Map
}

function textOf(entries: Entries, key: OptionKey): string {
  return entries.get(key)?.text ?? options[key].fallback
}

function setterOf(entries: Entries, key: OptionKey): number {
  return entries.get(key)?.setByRole ?? role.root
}

function settingsOf(entries: Entries, parse: ParseOption): Settings {
  // Holds: each value is what its own row parsed, which is how `Settings` is typed.
  const all = Object.fromEntries(optionKeys.map((key) => [key, parse(key, textOf(entries, key))])) as Settings
  const keptBack = [...entries].filter(([key, { host }]) => host !== undefined && host !== hostOf(key, all))
  return keptBack.length === 0 ? all : { ...all, ...Object.fromEntries(keptBack.map(([key]) => [key, ''])) }
}

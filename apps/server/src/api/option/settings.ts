import { isOptionKey, type OptionKey, optionKeys, options, type Reliant, reliantsOf, role, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { createMutex } from '../../lib/mutex.ts'
import type { Seal } from '../../lib/seal.ts'
import { mayVouch } from '../authorize.ts'
import { checkNeeds } from './option-needs.ts'
import { confirmOptions, listStoredOptions, saveOptions } from './queries.ts'
import { changedTable, shownTable } from './ratio-tables.ts'
import { hostOf, isTargetComplete, secretsSentElsewhere } from './secret-hosts.ts'
import { openSecret, sealSecret } from './stored-secrets.ts'

/** The options as the server uses them: typed, whole, swapped at once. */
export interface SettingsStore {
  current(): Settings
  /** Values as texts, for the settings pages. Secret options are not among them. */
  texts(): ReadonlyArray<OptionText>
  /**
   * An empty secret keeps the one that is stored, unless it is to be cleared.
   * @throws AppError option_unknown, option_value_invalid, ratio_invalid, option_incomplete, option_in_use
   */
  save(option: OptionChange): Promise<Saved>
  /** Options that something relies on and that a role below root set last. The values of secret ones are empty. */
  waiting(): Waiting
  /** Whether none of the options that it relies on waits for root. */
  isConfirmed(reliant: Reliant): boolean
  /** Confirms what waits as it was shown. @throws AppError option_waiting_changed */
  confirm(revision: string, alsoWrite?: AlsoWrite): Promise<void>
  /** Reads what another process has stored. @returns whether anything was different */
  reload(): Promise<boolean>
}

interface OptionText {
  readonly key: OptionKey
  readonly value: string
}

interface OptionChange {
  readonly key: string
  readonly value: string
  /** Removes a secret. */
  readonly clear?: boolean
  /** Who sets it. */
  readonly by: { readonly role: number }
  /** What is written with it, in one transaction; `keys` are the options that it changes. */
  readonly alsoWrite?: AlsoWrite
}

type AlsoWrite = (keys: readonly OptionKey[], tx: Db) => Promise<void>

interface Saved {
  /** Secrets that are stored and not sent, because they were entered for another server than the one that the options name now. */
  readonly keptBack: readonly OptionKey[]
  readonly isWaiting: boolean
}

interface Waiting {
  readonly options: readonly OptionText[]
  /** Names the stored values: it is another one after each change. */
  readonly revision: string
}

/** An option that somebody has set. */
interface Entry {
  readonly text: string
  /** The text as it is in the database: of secrets another one at each saving. */
  readonly stored: string
  readonly setByRole: number
  /** Of a secret: the server that it was entered for. Missing: it has been that of the options ever since. */
  readonly host?: string
}

type Entries = ReadonlyMap<OptionKey, Entry>

/** What the program itself sets, from an import or a command of whoever runs it, counts as set by root. */
export const byOperator = { role: role.root } as const

export async function openSettings({ db, seal }: { readonly db: Db; readonly seal: Seal }): Promise<SettingsStore> {
  let entries: Entries = new Map()
  let current = settingsOf(entries)
  /** What relies on an option that waits. */
  let held: ReadonlySet<Reliant> = new Set()
  const saving = createMutex()

  /** One after another, so that what is in force is what was stored last. */
  async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = await saving.acquire()
    try {
      return await work()
    } finally {
      release()
    }
  }

  async function store(changes: Entries, alsoWrite: AlsoWrite | undefined): Promise<void> {
    const rows = [...changes].map(([key, { stored: value, setByRole: set_by_role }]) => ({ key, value, set_by_role }))
    await db.transaction().execute(async (tx) => {
      await saveOptions(tx, rows)
      await alsoWrite?.([...changes.keys()], tx)
    })
    take(new Map([...entries, ...changes]))
  }

  function take(next: Entries): void {
    entries = next
    current = settingsOf(entries)
    held = new Set(waitingKeys().flatMap(reliantsOf))
  }

  function newEntry(key: OptionKey, text: string, setByRole: number): Entry {
    if (!options[key].secret) return { text, stored: text, setByRole }
    const host = text === '' ? null : hostOf(key, current)
    return { text, stored: sealSecret(seal, key, { text, host }), setByRole, ...(host === null ? {} : { host }) }
  }

  /** Before the address of secrets changes that say no server of their own, theirs is written down: it is the one of the address so far. */
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

  take(await readEntries(db, seal))
  return {
    current: () => current,
    texts: () =>
      optionKeys.filter((key) => !options[key].secret).map((key) => ({ key, value: shownTable(key, current) ?? textOf(entries, key) })),
    waiting,
    isConfirmed: (reliant) => !held.has(reliant),

    async save({ key, value, clear = false, by, alsoWrite }) {
      if (!isOptionKey(key)) throw new AppError('option_unknown')
      if (options[key].secret && value === '' && !clear) return { keptBack: [], isWaiting: false }
      const given = clear ? '' : value
      const parsed: unknown = options[key].parse(given)
      if (parsed === null) throw new AppError(parsesRatios(key) ? 'ratio_invalid' : 'option_value_invalid', { params: { name: key } })
      return await alone(async () => {
        checkNeeds(key, parsed, current)
        const text = changedTable(key, parsed, current) ?? given
        const isUnchanged = !options[key].secret && text === textOf(entries, key)
        const setByRole = isUnchanged ? Math.max(by.role, setterOf(entries, key)) : by.role
        const changed = newEntry(key, text, setByRole)
        const after = settingsOf(new Map([...entries, [key, changed]]))
        const moved = secretsSentElsewhere(current, after).filter((secret) => textOf(entries, secret) !== '')
        await store(new Map([[key, changed], ...moved.flatMap(boundToTheirs)]), alsoWrite)
        const keptBack = moved.filter((secret) => current[secret] === '' && isTargetComplete(secret, current))
        return { keptBack, isWaiting: isWaiting(key, changed) }
      })
    },

    confirm: (revision, alsoWrite) =>
      alone(async () => {
        if (revision !== waiting().revision) throw new AppError('option_waiting_changed')
        const keys = waitingKeys()
        const shown = keys.map((key) => ({ key, value: entries.get(key)?.stored ?? '' }))
        if (shown.length === 0) return
        await db.transaction().execute(async (tx) => {
          if (!(await confirmOptions(tx, shown, role.root))) throw new AppError('option_waiting_changed')
          await alsoWrite?.(keys, tx)
        })
        take(new Map([...entries].map(([key, entry]) => [key, keys.includes(key) ? { ...entry, setByRole: role.root } : entry])))
      }),

    reload: () =>
      alone(async () => {
        const fresh = await readEntries(db, seal)
        if (Bun.deepEquals(fresh, entries)) return false
        take(fresh)
        return true
      }),
  }
}

async function readEntries(db: Db, seal: Seal): Promise<Entries> {
  const entries = new Map<OptionKey, Entry>()
  for (const { key, value, set_by_role } of await listStoredOptions(db)) {
    const opened = isOptionKey(key) ? openValue(seal, key, value) : null
    // A stored value that this version cannot read gives way to the fallback.
    if (isOptionKey(key) && opened !== null && options[key].parse(opened.text) !== null)
      entries.set(key, { ...opened, stored: value, setByRole: set_by_role })
  }
  return entries
}

function isWaiting(key: OptionKey, entry: Entry | undefined): boolean {
  return entry !== undefined && reliantsOf(key).length > 0 && !mayVouch({ role: entry.setByRole })
}

/** `null`: sealed with another master key; whoever set it must set it again. */
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

function settingsOf(entries: Entries): Settings {
  // Holds: each value is what its own row parsed, which is how `Settings` is typed.
  const all = Object.fromEntries(optionKeys.map((key) => [key, options[key].parse(textOf(entries, key))])) as Settings
  const keptBack = [...entries].filter(([key, { host }]) => host !== undefined && host !== hostOf(key, all))
  return keptBack.length === 0 ? all : { ...all, ...Object.fromEntries(keptBack.map(([key]) => [key, ''])) }
}

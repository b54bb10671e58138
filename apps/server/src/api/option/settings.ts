import { isOptionKey, type OptionKey, optionKeys, options, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { createMutex } from '../../lib/mutex.ts'
import type { Seal } from '../../lib/seal.ts'
import { checkNeeds } from './option-needs.ts'
import { listStoredOptions, saveOption } from './queries.ts'
import { cleanOption } from './sanitize-html.ts'

/** The options as the server uses them: typed, whole, swapped at once. */
export interface SettingsStore {
  current(): Settings
  /** Values as texts, for the settings pages. Secret options are not among them. */
  texts(): ReadonlyArray<{ readonly key: string; readonly value: string }>
  /**
   * An empty secret keeps the one that is stored.
   * @throws AppError option_unknown, option_value_invalid, ratio_invalid, option_incomplete
   */
  save(key: string, value: string): Promise<void>
}

export async function openSettings({ db, seal }: { readonly db: Db; readonly seal: Seal }): Promise<SettingsStore> {
  const texts = new Map<OptionKey, string>()
  for (const { key, value } of await listStoredOptions(db)) {
    const text = isOptionKey(key) ? openValue(seal, key, value) : null
    // A stored value that this version cannot read gives way to the fallback.
    if (isOptionKey(key) && text !== null && options[key].parse(text) !== null) texts.set(key, text)
  }
  const textOf = (key: OptionKey): string => texts.get(key) ?? options[key].fallback
  let current = readAll(textOf)
  const saving = createMutex()

  return {
    current: () => current,
    texts: () => optionKeys.filter((key) => !options[key].secret).map((key) => ({ key, value: textOf(key) })),
    async save(key, value) {
      if (!isOptionKey(key)) throw new AppError('option_unknown')
      if (options[key].secret && value === '') return
      const text = cleanOption(key, value)
      const parsed: unknown = options[key].parse(text)
      if (parsed === null) throw new AppError(parsesRatios(key) ? 'ratio_invalid' : 'option_value_invalid', { params: { name: key } })
      // One after another, so that what is in force is what was stored last.
      const release = await saving.acquire()
      try {
        checkNeeds(key, parsed, current)
        await saveOption(db, key, sealValue(seal, key, text))
        texts.set(key, text)
        current = readAll(textOf)
      } finally {
        release()
      }
    },
  }
}

const sealPurpose = (key: OptionKey): string => `option:${key}`

/** What is stored: secret options only sealed. */
function sealValue(seal: Seal, key: OptionKey, text: string): string {
  return options[key].secret ? seal.seal(text, sealPurpose(key)) : text
}

/** `null`: sealed with another master key; whoever set it must set it again. */
function openValue(seal: Seal, key: OptionKey, stored: string): string | null {
  if (!options[key].secret) return stored
  try {
    return seal.open(stored, sealPurpose(key))
  } catch {
    return null
  }
}

function parsesRatios(key: OptionKey): boolean {
  return options[key].parse('{}') instanceof Map
}

function readAll(textOf: (key: OptionKey) => string): Settings {
  // Holds: each value is what its own row parsed, which is how `Settings` is typed.
  return Object.fromEntries(optionKeys.map((key) => [key, options[key].parse(textOf(key))])) as Settings
}

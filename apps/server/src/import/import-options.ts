import { isOptionKey, isSecurityOption, messageText, type OptionKey, optionKeys, optionRow, options, type Settings } from '@sluice/contract'
import { hostOf } from '../api/option/secret-hosts.ts'
import { byOperator, type SettingsStore } from '../api/option/settings.ts'
import { AppError } from '../lib/app-error.ts'
import { text } from './cells.ts'
import { leaveOut, type Plan, refuse, take } from './plan.ts'
import type { Run } from './run.ts'
import { count } from './tally.ts'

interface OptionDeps {
  /** Keys that have a value here, which is kept. */
  readonly stored: ReadonlySet<string>
  readonly settings: SettingsStore
}

/** Imports the options that are not set here, with the same checks as the console's. */
export async function importOptions(run: Run, { stored, settings }: OptionDeps): Promise<void> {
  const rows = await run.source.rows('options', ['key', 'value'])
  const entries = rows.map((row) => ({ key: text(row['key']), value: text(row['value']) }))
  const theirs = settingsOf(entries)
  const sorted = entries.toSorted((a, b) => turnOf(a.key) - turnOf(b.key))
  for (const option of sorted) {
    const plan = stored.has(option.key) ? ({ do: 'leave' } as const) : await planOption(option, { settings, theirs })
    count(run.tallies.option, `option ${option.key}`, plan)
    if (plan.do === 'take' && isTrusted(option.key)) run.trusted.options.push(describeOption(option))
  }
}

const isTrusted = (key: string): key is OptionKey => isOptionKey(key) && isSecurityOption(key)

const previewMax = 200

function describeOption({ key, value }: OptionEntry): string {
  const isSecret = isOptionKey(key) && options[key].secret
  return `option ${key}: ${isSecret ? '(secret)' : JSON.stringify(value.slice(0, previewMax))}`
}

interface OptionEntry {
  readonly key: string
  readonly value: string
}

/** The options of the source, with the default where it has none or one that is invalid here. */
function settingsOf(entries: readonly OptionEntry[]): Settings {
  const values = new Map(entries.map(({ key, value }) => [key, value]))
  const parsed = (key: OptionKey) =>
    options[key].parse(values.get(key) ?? options[key].fallback) ?? options[key].parse(options[key].fallback)
  // Holds: each value is what its own row parsed, which is how `Settings` is typed.
  return Object.fromEntries(optionKeys.map((key) => [key, parsed(key)])) as Settings
}

/** Order of saving: secrets after the addresses they are sent to, and switches after everything they need. */
function turnOf(key: string): number {
  if (key.endsWith('Enabled')) return 2
  return isOptionKey(key) && options[key].secret ? 1 : 0
}

/** Root approves it: nobody of this installation has chosen it, and it may be the way by which root logs in. */
const byImport = { role: 0, isProgram: true } as const

/** Whether an option switches off a login or a protection. */
const isWayClosed = (key: OptionKey, value: string): boolean => optionRow(key).approval === 'off' && value === 'false'

/**
 * A secret is not imported if it would be sent to another server than the one in the source. Otherwise an administrator who has set an
 * address here before the import would get the secret.
 */
async function planOption(
  { key, value }: OptionEntry,
  { settings, theirs }: { readonly settings: SettingsStore; readonly theirs: Settings },
): Promise<Plan<null>> {
  if (!isOptionKey(key)) return leaveOut(messageText('option_unknown'))
  if (value !== '' && hostOf(key, settings.current()) !== hostOf(key, theirs)) return refuse('it would be sent to a different server')
  try {
    const { isPending } = await settings.save({ key, value, by: isWayClosed(key, value) ? byImport : byOperator })
    return take(null, [isPending ? 'it takes effect once root approves it in the console' : null])
  } catch (error) {
    if (error instanceof AppError) return refuse(messageText(error.options.messageKey ?? error.code, error.options.params))
    throw error
  }
}

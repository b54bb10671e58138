import { isOptionKey, messageText, options } from '@sluice/contract'
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
  const given = rows.map((row) => ({ key: text(row['key']), value: text(row['value']) }))
  const ordered = given.toSorted((a, b) => turnOf(a.key) - turnOf(b.key))
  for (const { key, value } of ordered) {
    const plan = stored.has(key) ? ({ do: 'leave' } as const) : await save(settings, { key, value })
    count(run.tallies.option, `option ${key}`, plan)
  }
}

/** Order of saving: secrets after the addresses they are sent to, and switches after everything they need. */
function turnOf(key: string): number {
  if (key.endsWith('Enabled')) return 2
  return isOptionKey(key) && options[key].secret ? 1 : 0
}

async function save(settings: SettingsStore, { key, value }: { readonly key: string; readonly value: string }): Promise<Plan<null>> {
  if (!isOptionKey(key)) return leaveOut(messageText('option_unknown'))
  try {
    await settings.save({ key, value, by: byOperator })
    return take(null)
  } catch (error) {
    if (error instanceof AppError) return refuse(messageText(error.code, error.options.params))
    throw error
  }
}

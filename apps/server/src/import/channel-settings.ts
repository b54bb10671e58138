import { contract, isMessageKey, type Language, messageText } from '@sluice/contract'
import { mergeSettings } from '../api/channel/settings.ts'
import { bool } from './cells.ts'
import { objectOf } from './channel-keys.ts'

interface SettingCells {
  readonly system_prompt: string
  readonly header_override: string
  readonly openai_organization: string
  /** JSON with the settings of newer products. */
  readonly setting: string
  readonly test_model: string
  /** Whether the source may disable the channel automatically: two products have different columns for it. */
  readonly auto_ban: number
  readonly auto_disabled: string
}

interface ImportedSettings {
  /** In the form that a channel stores. */
  readonly settings: string
  /** Settings that could not be kept, in words. */
  readonly notes: readonly string[]
}

/** The settings of a channel of the source, each checked as the channel form checks it. */
export function settingsOf(channel: SettingCells, language: Language): ImportedSettings {
  const kept = objectOf(channel.setting)
  const values = {
    system_prompt: channel.system_prompt || textOf(kept['system_prompt']),
    proxy: textOf(kept['proxy']),
    headers: headersOf(channel),
    test_model: channel.test_model,
    auto_disable: channel.auto_ban !== 0 && bool(channel.auto_disabled),
  }
  const judged = Object.entries(values).map(([name, value]) => ({ name, value, fault: faultOf(name, value, language) }))
  const taken = Object.fromEntries(judged.flatMap(({ name, value, fault }) => (fault === null ? [[name, value]] : [])))
  return {
    settings: mergeSettings('', taken),
    notes: judged.flatMap(({ name, fault }) =>
      fault === null ? [] : [messageText('import_note_setting', { setting: name, reason: fault }, language)],
    ),
  }
}

/** Why a setting is not valid here; `null` = it is. */
function faultOf(name: string, value: unknown, language: Language): string | null {
  const parsed = contract.channel.update.input.safeParse({ id: 1, [name]: value })
  if (parsed.success) return null
  const message = parsed.error.issues[0]?.message ?? ''
  return isMessageKey(message) ? messageText(message, {}, language) : message
}

/** Headers, including OpenAI's organization. */
function headersOf({ header_override, openai_organization }: SettingCells): string {
  const headers = { ...objectOf(header_override), ...(openai_organization === '' ? {} : { 'OpenAI-Organization': openai_organization }) }
  return Object.keys(headers).length === 0 ? '' : JSON.stringify(headers)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

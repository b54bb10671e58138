import { contract, isMessageKey, messageText } from '@sluice/contract'
import { mergeSettings } from '../api/channel/settings.ts'
import { bool } from './cells.ts'
import { objectOf } from './channel-keys.ts'

interface SettingCells {
  readonly system_prompt: string
  readonly header_override: string
  readonly openai_organization: string
  /** JSON of what newer products keep together. */
  readonly setting: string
  readonly test_model: string
  /** Whether the source may disable the channel by itself, by the names that two of the products have for it. */
  readonly auto_ban: number
  readonly auto_disabled: string
}

interface TakenSettings {
  /** As a channel stores them. */
  readonly settings: string
  /** What could not be kept. */
  readonly notes: readonly string[]
}

/** The settings of a channel of the source, each checked as the channel form checks it. */
export function settingsOf(channel: SettingCells): TakenSettings {
  const kept = objectOf(channel.setting)
  const given = {
    system_prompt: channel.system_prompt || textOf(kept['system_prompt']),
    proxy: textOf(kept['proxy']),
    headers: headersOf(channel),
    test_model: channel.test_model,
    auto_disable: channel.auto_ban !== 0 && bool(channel.auto_disabled),
  }
  const judged = Object.entries(given).map(([name, value]) => ({ name, value, fault: faultOf(name, value) }))
  const taken = Object.fromEntries(judged.flatMap(({ name, value, fault }) => (fault === null ? [[name, value]] : [])))
  return {
    settings: mergeSettings('', taken),
    notes: judged.flatMap(({ name, fault }) => (fault === null ? [] : [`its ${name} was not kept: ${fault}`])),
  }
}

/** Why a setting cannot be one here; `null`: it can. */
function faultOf(name: string, value: unknown): string | null {
  const parsed = contract.channel.update.input.safeParse({ id: 1, [name]: value })
  if (parsed.success) return null
  const said = parsed.error.issues[0]?.message ?? ''
  return isMessageKey(said) ? messageText(said) : said
}

/** Headers, and the organization of OpenAI, which is one. */
function headersOf({ header_override, openai_organization }: SettingCells): string {
  const headers = { ...objectOf(header_override), ...(openai_organization === '' ? {} : { 'OpenAI-Organization': openai_organization }) }
  return Object.keys(headers).length === 0 ? '' : JSON.stringify(headers)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

import { type ChannelRow, newChannelSettings, noChannelSettings } from '@sluice/contract'

type SettingName = keyof typeof noChannelSettings

/** Settings as they are stored and shown. */
type Settings = Pick<ChannelRow, SettingName>

/** Settings as they were sent: missing and null ones do not change. */
export type SettingsInput = { readonly [Name in SettingName]?: Settings[Name] | null | undefined }

/** Shown in place of a password. */
const hidden = '***'

/** Splits an input into its settings and the rest. */
export function takeSettings<Input extends SettingsInput>(input: Input): readonly [SettingsInput, Omit<Input, SettingName>] {
  const isSetting = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(noChannelSettings, name)
  const entries = Object.entries(input)
  const rest = entries.filter((entry) => !isSetting(entry))
  // Holds: what was left out are the settings, by their names.
  return [Object.fromEntries(entries.filter(isSetting)), Object.fromEntries(rest) as Omit<Input, SettingName>]
}

/** Whether an input sets any. */
export function hasSettings(input: SettingsInput): boolean {
  return Object.values(input).some((value) => value !== undefined && value !== null)
}

/** The settings for a form, without passwords and header values. */
export function maskSettings(text: string): Settings {
  const settings = parseSettings(text)
  return { ...settings, proxy: withPassword(settings.proxy, hidden), headers: blank(settings.headers) }
}

/** The settings with all their secrets. */
export function openedSettings(text: string): Settings {
  return { ...parseSettings(text) }
}

/** Which of the sent settings have a secret that is hidden: the names of headers without a value, and `proxy`. */
export function blankSecrets({ headers, proxy }: SettingsInput): readonly string[] {
  const blankHeaders = Object.entries(parseHeaders(headers ?? '')).flatMap(([name, value]) => (value === '' ? [name] : []))
  return [...blankHeaders, ...(URL.parse(proxy ?? '')?.password === hidden ? ['proxy'] : [])]
}

/** A proxy whose password is hidden, without it. */
export function withoutHiddenPassword(proxy: string): string {
  return URL.parse(proxy)?.password === hidden ? withPassword(proxy, '') : proxy
}

/** Merges sent settings into the stored ones: a secret that is sent back hidden keeps its value. Empty = nothing is set. */
export function mergeSettings(stored: string, input: SettingsInput): string {
  const before = parseSettings(stored)
  const named = Object.entries(input).filter(([, value]) => value !== undefined && value !== null)
  // Holds: a setting that is neither missing nor null has its own type.
  const next = { ...before, ...(Object.fromEntries(named) as Partial<Settings>) }
  const merged: Settings = { ...next, proxy: mergeProxy(before.proxy, next.proxy), headers: mergeHeaders(before.headers, next.headers) }
  const changed = Object.entries(merged).filter(([name, value]) => value !== defaults[name])
  return changed.length === 0 ? '' : JSON.stringify(Object.fromEntries(changed))
}

/** The settings of a new channel: a few have another default than those of channels that were there before. */
export function newSettings(input: SettingsInput): SettingsInput {
  return { ...input, content_of_key: input.content_of_key ?? newChannelSettings.content_of_key }
}

const defaults: Readonly<Record<string, unknown>> = noChannelSettings

function parseSettings(text: string): Settings {
  // Holds: only settings that the contract has checked are stored.
  return text === '' ? noChannelSettings : { ...noChannelSettings, ...(JSON.parse(text) as Partial<Settings>) }
}

/** The proxy that requests go through, with its password. */
export function proxyOf(text: string): string {
  return parseSettings(text).proxy
}

/** Whether a stored header value stays unchanged. */
export function keepsHeaderValues(stored: string, { headers: input }: SettingsInput): boolean {
  const before = parseHeaders(parseSettings(stored).headers)
  const after = input === undefined || input === null ? null : parseHeaders(input)
  return Object.keys(before).some((name) => after === null || after[name] === '')
}

/** Replaces the password of a proxy, if it has one. */
function withPassword(proxy: string, password: string): string {
  const url = URL.parse(proxy)
  if (url === null || url.password === '') return proxy
  url.password = password
  return url.href.replace(/\/$/, '')
}

function mergeProxy(stored: string, input: string): string {
  return input === withPassword(stored, hidden) ? stored : input
}

function blank(headers: string): string {
  return headers === '' ? '' : JSON.stringify(Object.fromEntries(Object.keys(parseHeaders(headers)).map((name) => [name, ''])))
}

function mergeHeaders(stored: string, input: string): string {
  if (input === '') return ''
  const before = parseHeaders(stored)
  const merged = Object.entries(parseHeaders(input)).map(([name, value]) => [name, value === '' ? (before[name] ?? '') : value])
  return JSON.stringify(Object.fromEntries(merged.filter(([, value]) => value !== '')))
}

function parseHeaders(text: string): Readonly<Record<string, string>> {
  // Holds: only objects of strings pass the contract.
  return text === '' ? {} : (JSON.parse(text) as Record<string, string>)
}

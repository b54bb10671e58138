import { type ChannelRow, newChannelSettings, noChannelSettings } from '@sluice/contract'
import type { ConfigField } from '@sluice/vendors/core/channel-config'
import { t } from '../../lib/t.ts'
import type { VendorFacts } from '../../lib/vendor-facts.ts'
import { prettyJson } from '../../ui/json-area.tsx'
import { namesIn } from './names-in.ts'

export type VendorFields = Pick<VendorFacts, 'routes' | 'configFields' | 'key' | 'otherDefault'>

/** Settings that only some channels have; numbers are stored as typed. */
export interface ChannelSettingValues {
  readonly in_flight_max: string
  readonly proxy: string
  readonly headers: string
  readonly system_prompt: string
  readonly first_byte_seconds: string
  readonly idle_seconds: string
  readonly total_seconds: string
  readonly test_model: string
  readonly auto_disable: boolean
  readonly content_of_key: boolean
  readonly proxy_methods: string
  readonly proxy_paths: string
  readonly allowed_members: string
  readonly rewrites_off: string
  readonly cost_factor: string
  readonly cost_prices: string
}

/** The form's values. They have the names of the wire, so that an error finds its field. */
export interface ChannelValues extends ChannelSettingValues {
  readonly name: string
  readonly type: number
  readonly key: string
  /** Creates one channel for each line of the key. */
  readonly isBatch: boolean
  readonly base_url: string
  readonly other: string
  readonly models: readonly string[]
  readonly model_mapping: string
  readonly group: readonly string[]
  readonly tag: string
  readonly config: Readonly<Record<ConfigField, string>>
  readonly priority: string
  readonly weight: string
}

const noConfig: ChannelValues['config'] = { region: '', ak: '', sk: '', user_id: '', vertex_ai_project_id: '', vertex_ai_adc: '' }

/** Whether a setting is not as it is for all channels. */
export function isSetting<Name extends keyof ChannelSettingValues>(name: Name, value: ChannelSettingValues[Name]): boolean {
  return String(value) !== String(newChannelSettings[name])
}

export function newChannel(type: number): ChannelValues {
  return {
    name: '',
    type,
    key: '',
    isBatch: false,
    base_url: '',
    other: '',
    models: [],
    model_mapping: '',
    group: ['default'],
    tag: '',
    config: noConfig,
    priority: '0',
    weight: '0',
    ...settingsOf(newChannelSettings),
  }
}

/** The form's values for a stored channel. Keys and secrets are empty, because the server never returns them. */
export function valuesOf(row: ChannelRow): ChannelValues {
  const config = parseConfig(row.config)
  return {
    ...newChannel(row.type),
    name: row.name,
    base_url: row.base_url,
    other: row.other,
    models: namesIn(row.models),
    model_mapping: prettyJson(row.model_mapping),
    group: namesIn(row.group),
    tag: row.tag,
    config: { ...noConfig, ...Object.fromEntries(Object.entries(config).filter(([, value]) => typeof value === 'string')) },
    priority: String(row.priority),
    weight: String(row.weight),
    ...settingsOf(row),
  }
}

/** The values of a copy: its key has to be typed, and so has everything else that the server does not return. */
export function copyOf(row: ChannelRow): ChannelValues {
  const { headers, proxy, ...values } = valuesOf(row)
  const hasPassword = proxy.includes(':***@')
  return { ...values, headers: '', proxy: hasPassword ? '' : proxy, name: t('channel.copy.name', { name: row.name }) }
}

function settingsOf(row: Pick<ChannelRow, keyof ChannelSettingValues>): ChannelSettingValues {
  return {
    in_flight_max: String(row.in_flight_max),
    proxy: row.proxy,
    headers: prettyJson(row.headers),
    system_prompt: row.system_prompt,
    first_byte_seconds: String(row.first_byte_seconds),
    idle_seconds: String(row.idle_seconds),
    total_seconds: String(row.total_seconds),
    test_model: row.test_model,
    auto_disable: row.auto_disable,
    content_of_key: row.content_of_key,
    proxy_methods: row.proxy_methods,
    proxy_paths: row.proxy_paths,
    allowed_members: row.allowed_members,
    rewrites_off: row.rewrites_off,
    cost_factor: String(row.cost_factor),
    cost_prices: prettyJson(row.cost_prices),
  }
}

interface Target {
  readonly vendor: VendorFields | null
  /** The stored configuration: members that the form does not show are kept. */
  readonly config: string
}

/** The input of the call. Invalid numbers become `NaN`, which the contract refuses with its own text. */
export function toInput(values: ChannelValues, { vendor, config }: Target) {
  return {
    name: values.name,
    type: values.type,
    key: keyOf(values, vendor),
    base_url: values.base_url,
    other: values.other.trim() || (vendor?.otherDefault ?? ''),
    models: values.models.join(','),
    model_mapping: values.model_mapping,
    group: values.group.join(','),
    tag: values.tag,
    config: configOf(values, vendor, config),
    priority: wholeOf(values.priority),
    weight: notNegative(wholeOf(values.weight)),
    in_flight_max: wholeOf(values.in_flight_max) ?? 0,
    proxy: values.proxy,
    headers: values.headers,
    system_prompt: values.system_prompt,
    first_byte_seconds: wholeOf(values.first_byte_seconds) ?? 0,
    idle_seconds: wholeOf(values.idle_seconds) ?? 0,
    total_seconds: wholeOf(values.total_seconds) ?? 0,
    test_model: values.test_model,
    auto_disable: values.auto_disable,
    content_of_key: values.content_of_key,
    proxy_methods: values.proxy_methods,
    proxy_paths: values.proxy_paths,
    allowed_members: values.allowed_members,
    rewrites_off: values.rewrites_off,
    cost_factor: decimalOf(values.cost_factor) ?? noChannelSettings.cost_factor,
    cost_prices: values.cost_prices,
  }
}

/** A composite key is empty unless all of its parts are set; an edit then keeps the stored key. */
function keyOf({ key, config }: ChannelValues, vendor: VendorFields | null): string {
  if (vendor?.key.fields === undefined) return key
  const parts = vendor.key.fields.map((field) => config[field].replace(/\s*\n\s*/g, ' ').trim())
  return parts.includes('') ? '' : parts.join('|')
}

/** The first missing part of a composite key, whose field shows the errors of the key. */
export function missingKeyPart({ config }: Pick<ChannelValues, 'config'>, vendor: VendorFields | null): ConfigField | undefined {
  return vendor?.key.fields?.find((field) => config[field].trim() === '')
}

function configOf({ config }: ChannelValues, vendor: VendorFields | null, stored: string): string {
  const fields = vendor?.configFields ?? []
  if (fields.length === 0) return stored
  const edited = Object.fromEntries(fields.map((field) => [field, config[field].trim()]))
  return JSON.stringify({ ...parseConfig(stored), ...edited })
}

function parseConfig(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : {}
  } catch {
    return {}
  }
}

/** Empty = not given: the contract's default, or the stored value. */
function numberLike(text: string, form: RegExp): number | undefined {
  const typed = text.trim()
  if (typed === '') return undefined
  return form.test(typed) ? Number(typed) : Number.NaN
}

const wholeOf = (text: string): number | undefined => numberLike(text, /^[+-]?\d+$/)
const decimalOf = (text: string): number | undefined => numberLike(text, /^-?(?:\d+(?:\.\d*)?|\.\d+)$/)

function notNegative(value: number | undefined): number | undefined {
  return value !== undefined && value < 0 ? 0 : value
}

/** Fields that are checked in order: only the first error is shown. */
const inOrder = ['name', 'key', 'models', 'model_mapping']

export function firstInOrder<E>(errors: Readonly<Record<string, E>>): Readonly<Record<string, E>> {
  const first = inOrder.find((field) => errors[field] !== undefined)
  return Object.fromEntries(Object.entries(errors).filter(([field]) => field === first || !inOrder.includes(field)))
}

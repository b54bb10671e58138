import {
  channelStatus,
  channelTagMax,
  contract,
  isMessageKey,
  isModelName,
  type Language,
  type MessageKey,
  type MessageParams,
  messageText,
  type ParsedInputOf,
  withoutTrailingSlashes,
} from '@sluice/contract'
import type { Vendor } from '@sluice/vendors/core/vendor'
import { vendorByType } from '@sluice/vendors/registry/list'
import { type PeerType, peerTypes } from '@sluice/vendors/registry/peer-channel-types'
import type { Insertable } from 'kysely'
import type { ChannelTable } from '../db/schema.ts'
import { isForbiddenTarget } from '../lib/egress.ts'
import { decimal, listOf, type RowOf, text, textOr, time, whole } from './cells.ts'
import { keysOf } from './channel-keys.ts'
import { settingsOf } from './channel-settings.ts'
import type { Dialect } from './dialects.ts'
import { fitName, type Plan, refuse, take } from './plan.ts'

export const channelColumns = {
  id: whole(),
  type: whole(),
  key: text,
  status: whole(channelStatus.enabled),
  name: text,
  weight: whole(),
  created_time: time(),
  test_time: time(),
  response_time: whole(),
  base_url: text,
  other: text,
  balance: decimal,
  balance_updated_time: time(),
  models: text,
  group: textOr('default'),
  used_quota: whole(),
  model_mapping: text,
  priority: whole(),
  config: text,
  system_prompt: text,
  param_override: text,
  header_override: text,
  status_code_mapping: text,
  openai_organization: text,
  setting: text,
  test_model: text,
  auto_ban: whole(1),
  auto_disabled: textOr('true'),
  tag: text,
  channel_info: text,
  multi_key_info: text,
} as const
export type SourceChannel = RowOf<typeof channelColumns>

/** Members of a source's channel that ours do not have. */
const unknownHere = ['param_override', 'status_code_mapping'] as const

export interface PlannedChannel {
  readonly sourceId: number
  /** One channel for each key, equal except for names; the first one has the counters. */
  readonly keys: ReadonlyArray<{ readonly key: string; readonly status: number }>
  readonly config: string
  /** JSON of its settings; empty = nothing is set. */
  readonly settings: string
  readonly usedQuota: number
  readonly row: Omit<Insertable<ChannelTable>, 'key_sealed' | 'config_sealed'>
}

interface Place {
  readonly dialect: Dialect
  /** Our own port: a channel must not point at this server. */
  readonly ownPort: number
  /** A channel without a key is refused if its type needs one. */
  readonly needsKey: boolean
  /** Of the texts that say what was refused or changed. */
  readonly language: Language
}

/** Plans a channel with its type here, by the rules of the channel form. */
export function planChannel(channel: SourceChannel, { dialect, ownPort, needsKey, language }: Place): Plan<PlannedChannel> {
  const say = (key: MessageKey, params: MessageParams = {}): string => messageText(key, params, language)
  const peer = peerTypes[dialect][channel.type] ?? null
  const vendor = peer === null ? null : vendorByType(peer.type)
  if (peer === null || vendor === null) return refuse(say('import_type_unknown', { type: channel.type }))
  const baseUrl = addressOf(channel, peer)
  if (baseUrl === null) return refuse(say('import_address_unknown', { address: JSON.stringify(channel.base_url) }))
  const keys = keysOf(channel)
  const [first = { key: '' }] = keys
  const missing = missingIn(vendor, { baseUrl, key: first.key, needsKey })
  if (missing !== null) return refuse(say(missing))
  const models = listOf(channel.models)
  const form = parseForm(channel, { type: peer.type, baseUrl, key: first.key, models: models.filter(isModelName).join(','), language })
  if (typeof form === 'string') return refuse(form)
  if (isForbiddenTarget(targetOf(vendor, baseUrl), ownPort)) return refuse(say('base_url_forbidden'))
  const { key: _key, group, config, ...plain } = form
  const row = {
    ...plain,
    groups: group,
    status: knownStatuses.includes(channel.status) ? channel.status : channelStatus.disabled,
    created_time: channel.created_time,
    test_time: channel.test_time,
    response_time: channel.response_time,
    balance: channel.balance,
    balance_updated_time: channel.balance_updated_time,
  }
  const dropped = models.filter((model) => !isModelName(model))
  const { settings, notes } = settingsOf(channel, language)
  const own = keys.map(({ key, status }) => ({ key, status: statusOf(row.status, status) }))
  return take({ sourceId: channel.id, keys: own, config, settings, usedQuota: channel.used_quota, row }, [
    ...notes,
    keys.length > 1 ? say('import_note_keys', { count: keys.length }) : null,
    peer.type === channel.type ? null : say('import_note_type', { from: channel.type, to: peer.type, name: vendor.name }),
    row.status === channel.status ? null : say('import_note_status', { from: channel.status, to: row.status }),
    dropped.length === 0 ? null : say('import_note_models', { models: dropped.join(', ') }),
    ...unknownHere.map((column) => (isEmpty(channel[column]) ? null : say('import_note_column', { column }))),
  ])
}

const knownStatuses: readonly number[] = Object.values(channelStatus)

const targetOf = (vendor: Vendor, baseUrl: string): string => baseUrl || (vendor.routes.baseUrl ?? '')

/** The error for a missing required member of this vendor's channels; `null` = none. */
function missingIn(
  vendor: Vendor,
  { baseUrl, key, needsKey }: { readonly baseUrl: string; readonly key: string; readonly needsKey: boolean },
): 'channel_base_url_required' | 'channel_name_and_key_required' | null {
  if (targetOf(vendor, baseUrl) === '') return 'channel_base_url_required'
  return needsKey && key.trim() === '' && vendor.key.isOptional !== true ? 'channel_name_and_key_required' : null
}

/** A disabled key of an enabled channel becomes a disabled channel; otherwise the status of the channel applies. */
function statusOf(ofChannel: number, ofKey: number | null): number {
  if (ofKey === null || ofChannel !== channelStatus.enabled) return ofChannel
  return knownStatuses.includes(ofKey) ? ofKey : channelStatus.disabled
}

const isEmpty = (value: string): boolean => ['', '{}', '[]', 'null'].includes(value)

type Form = ParsedInputOf<typeof contract.channel.create>

/** Parses the row as input of the channel form. @returns the input, or a text that says what is wrong */
function parseForm(
  channel: SourceChannel,
  fields: { readonly type: number; readonly baseUrl: string; readonly key: string; readonly models: string; readonly language: Language },
): Form | string {
  const parsed = contract.channel.create.input.safeParse({
    name: fitName(channel.name, `channel ${channel.id}`, channelNameMax),
    key: fields.key,
    type: fields.type,
    models: fields.models,
    model_mapping: isEmpty(channel.model_mapping) ? '' : channel.model_mapping,
    base_url: fields.baseUrl,
    other: channel.other,
    group: channel.group,
    tag: channel.tag.trim().slice(0, channelTagMax),
    config: isEmpty(channel.config) ? '' : channel.config,
    priority: channel.priority,
    weight: channel.weight,
  })
  if (parsed.success) return parsed.data
  const message = parsed.error.issues[0]?.message ?? ''
  return isMessageKey(message) ? messageText(message, {}, fields.language) : message
}

/** Leaves room for the number that further channels of one row get. */
const channelNameMax = 120

/** The call's path at the end of a whole address, without the version before it. */
const callPath = /\/(?:chat\/)?completions$/

/** `null` = the address is that of another call. */
function addressOf({ base_url }: SourceChannel, { baseUrl = '', isWholeAddress = false }: PeerType): string | null {
  const address = withoutTrailingSlashes(base_url)
  if (address === '') return baseUrl
  if (!isWholeAddress || /^https?:\/\/[^/]+$/.test(address)) return address
  return callPath.test(address) && !address.includes('{') ? address.replace(callPath, '') : null
}

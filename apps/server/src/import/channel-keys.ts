import { tryParseJson } from '../lib/parse-json.ts'
import { listOf } from './cells.ts'

export interface ChannelKey {
  readonly key: string
  /** The status of this key alone; `null` = that of its channel. */
  readonly status: number | null
}

interface KeyCells {
  readonly key: string
  readonly channel_info: string
  readonly multi_key_info: string
}

/** A channel can have several keys: one a line, or a JSON list of credentials if it is marked as having many. */
export function keysOf({ key, channel_info, multi_key_info }: KeyCells): readonly ChannelKey[] {
  if (key === '' || key.startsWith('{')) return [{ key, status: null }]
  const info = { ...objectOf(multi_key_info), ...objectOf(channel_info) }
  const isMany = info['is_multi_key'] === true
  const keys = isMany && key.startsWith('[') ? jsonKeys(key) : listOf(key, /\n/)
  const statuses = isMany ? objectOf(info['multi_key_status_list']) : {}
  return keys.map((one, index) => ({ key: one, status: statusOf(statuses[index]) }))
}

function statusOf(value: unknown): number | null {
  return Number.isSafeInteger(value) ? Number(value) : null
}

/** The members of an object or of JSON text of one; empty for anything else. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  if (typeof value !== 'string' || !value.startsWith('{')) return {}
  return objectOf(tryParseJson(value))
}

function jsonKeys(key: string): readonly string[] {
  const parsed = tryParseJson(key)
  return Array.isArray(parsed) ? parsed.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))) : [key]
}

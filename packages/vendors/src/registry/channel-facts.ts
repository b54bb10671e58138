import type { ChannelConfig, ChannelFacts, ConfigField } from '../core/channel-config.ts'
import { splitKey } from '../core/split-key.ts'
import type { Vendor, VendorVariant } from '../core/vendor.ts'

/** A channel as it is stored: empty texts stand for missing values. */
export interface StoredFacts {
  readonly baseUrl: string
  readonly key: string
  /** A JSON object, or an empty text. */
  readonly config: string
  readonly other: string
}

/** A vendor as one channel uses it: its interface, address and configuration. */
export interface Addressed {
  readonly vendor: Vendor
  readonly facts: ChannelFacts
}

/**
 * The interface and the address of a channel. `null`: the channel has no address, because it gives none and the vendor has none, or because
 * the address needs a member of the configuration that is missing or invalid.
 */
export function addressed(vendor: Vendor, stored: StoredFacts): Addressed | null {
  const config = { ...partsOf(vendor, stored.key), ...configIn(stored.config) }
  const other = stored.other === '' ? (vendor.otherDefault ?? '') : stored.other
  const keyFacts = { key: stored.key, config, other }
  const change = vendor.variant?.({ ...keyFacts, baseUrl: stored.baseUrl }) ?? null
  const used = change === null ? vendor : varied(vendor, change)
  const baseUrl = stored.baseUrl === '' || isHostOf(stored.baseUrl, used) ? ownAddress(used, keyFacts) : stored.baseUrl
  return baseUrl === null ? null : { vendor: used, facts: { ...keyFacts, baseUrl } }
}

/** The record with what differs for a channel: single members of its groups, and all other members whole. */
function varied(vendor: Vendor, { routes, chat, ...members }: VendorVariant): Vendor {
  return {
    ...{ ...vendor, ...members },
    ...(routes === undefined ? {} : { routes: { ...vendor.routes, ...routes } }),
    ...(chat === undefined ? {} : { chat: { ...vendor.chat, ...chat } }),
  }
}

/**
 * The vendor's own host, where its address has a member of the configuration behind it: channels of other gateways store
 * `https://api.cloudflare.com` beside the account.
 */
function isHostOf(address: string, { routes: { baseUrl } }: Vendor): boolean {
  const [, host = ''] = /^(https:\/\/[^/{]+)\/.*\{/.exec(baseUrl ?? '') ?? []
  return host !== '' && (address === host || address === `${host}/`)
}

/** Members of the configuration that stand in the key, joined by `|`. The last one may itself contain that character. */
function partsOf({ key: { fields } }: Vendor, key: string): ChannelConfig {
  if (fields === undefined) return {}
  const parts = splitKey(key, fields.length)
  return parts.length < fields.length ? {} : withoutEmpty(fields.map((field, index) => [field, parts[index] ?? '']))
}

function configIn(text: string): ChannelConfig {
  const parsed: unknown = text === '' ? {} : safelyParsed(text)
  if (typeof parsed !== 'object' || parsed === null) return {}
  return withoutEmpty(Object.entries(parsed).map(([name, value]) => [name, typeof value === 'string' ? value.trim() : '']))
}

function safelyParsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function withoutEmpty(entries: ReadonlyArray<readonly [string, string]>): ChannelConfig {
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}

/** What may stand in an address: a name of a region or an account, and nothing that could change the host. */
const addressPart = /^[\w.-]{1,128}$/

/** Where it stands there. */
const placeholder = /\{(\w+)\}/g

/** The first member of the configuration that the vendor's address needs and a channel lacks, or has in a form that no address may hold. */
export function lackingMember(vendor: Vendor, stored: StoredFacts): string | null {
  const config: Readonly<Record<string, string>> = { ...partsOf(vendor, stored.key), ...configIn(stored.config) }
  const names = [...(vendor.routes.baseUrl ?? '').matchAll(placeholder)].map(([, name = '']) => name)
  return names.find((name) => !addressPart.test(config[name] ?? '')) ?? null
}

/** The vendor's own address, with members of the configuration in the places `{name}`. */
function ownAddress(vendor: Vendor, facts: Omit<ChannelFacts, 'baseUrl'>): string | null {
  const template = vendor.routes.addressFor?.(facts) ?? vendor.routes.baseUrl
  if (template === null) return null
  let isWhole = true
  const address = template.replaceAll(placeholder, (_, name: ConfigField) => {
    const value = facts.config[name] ?? ''
    isWhole &&= addressPart.test(value)
    return value
  })
  return isWhole ? address : null
}

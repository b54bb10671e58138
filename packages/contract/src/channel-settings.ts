import * as z from 'zod/mini'
import { channelLimits } from './channel-limits.ts'
import { parseJsonText } from './parse-json-text.ts'
import { parseUrl } from './parse-url.ts'
import { addressMax, cleanList, isModelName, jsonTextMax, lengthMax, modelNameMax, says, unreadableOf } from './parts.ts'
import { parsePriceRules } from './price-rules.ts'
import { isProxyMethod, isProxyPath } from './proxy-rules.ts'
import { rewriteKinds } from './rewrite-kinds.ts'

/** Defaults of the optional settings of a channel, which are on the same level as its other members. */
export const noChannelSettings = {
  in_flight_max: 0,
  proxy: '',
  headers: '',
  system_prompt: '',
  first_byte_seconds: 0,
  idle_seconds: 0,
  total_seconds: 0,
  test_model: '',
  auto_disable: true,
  content_of_key: true,
  proxy_methods: '',
  proxy_paths: '',
  allowed_members: '',
  rewrites_off: '',
  cost_factor: 1,
  cost_prices: '',
} as const

/** Those of a new channel: what the vendor keeps for the account of the key is not for everybody, unless somebody says so. */
export const newChannelSettings = { ...noChannelSettings, content_of_key: false } as const

// Holds: the keys of the object are the names of the settings.
export const channelSettingNames = Object.keys(noChannelSettings) as readonly (keyof typeof noChannelSettings)[]

/** The settings in a row, with blank secrets. */
/**
 * What of a channel cannot be read with this master key. The channel is not used until it is entered again; `settings` are all members of
 * `channelSettingsRow` together.
 */
export const channelUnreadable = unreadableOf(['key', 'config', 'settings'])

export const channelSettingsRow = {
  /** Maximum concurrency; 0 = no limit. */
  in_flight_max: z.int(),
  /** Address of the proxy; its password is shown as `***`. */
  proxy: z.string(),
  /** JSON object text: header -> value. Values are blank. */
  headers: z.string(),
  /** Sent before the messages of every chat. */
  system_prompt: z.string(),
  /** Timeouts; 0 = the default of the kind of call. */
  first_byte_seconds: z.int(),
  idle_seconds: z.int(),
  total_seconds: z.int(),
  /** Empty = chosen by the test. */
  test_model: z.string(),
  /** Whether the channel may be disabled automatically. */
  auto_disable: z.boolean(),
  /** Whether requests may name files, caches and stores that the vendor keeps for the account of the key. */
  content_of_key: z.boolean(),
  /** For raw proxies: the methods and the beginnings of paths that they forward, as comma-separated lists; empty = all. */
  proxy_methods: z.string(),
  proxy_paths: z.string(),
  /** Members of bodies and types of tools, separated by commas, that are sent although what they cost is not known. */
  allowed_members: z.string(),
  /** Kinds of rewriting that are switched off, separated by commas; see `rewriteKinds`. */
  rewrites_off: z.string(),
  /** The part of the vendor's list price that is paid for this channel; 1 = all of it, 0 = nothing. */
  cost_factor: z.number(),
  /** JSON object text: model -> fields of its price, where it is not the vendor's list price. Of the same form as the option `PriceRules`. */
  cost_prices: z.string(),
}

/** Upper bounds of the settings for concurrency, waiting time and prompt length. */
const inFlightMax = 100_000
const secondsMax = 86_400
const promptLengthMax = 65_536
/** A middleman may charge more than the vendor, but no channel costs a hundred times as much. */
const costFactorMax = 100
const headersMax = 32
/** Most members that a channel allows by name, and longest list of them. */
const allowedMax = 100
const allowedLengthMax = 8_192
const headerLengthMax = 4_096

/** Members with those above them (`provider.order`), and types of tools (`openrouter:web_fetch`). */
function isMemberList(text: string): boolean {
  const names = cleanList(text)
    .split(',')
    .filter((name) => name !== '')
  return names.length <= allowedMax && names.every((name) => /^[\w.$:@/-]{1,64}$/.test(name))
}

function isRewriteList(text: string): boolean {
  const names = cleanList(text)
    .split(',')
    .filter((name) => name !== '')
  return names.every((name) => rewriteKinds.some((kind) => kind === name))
}

const proxySchemes = ['http:', 'socks5:']

function isProxy(value: string): boolean {
  const url = parseUrl(value)
  return (
    url !== null &&
    proxySchemes.includes(url.protocol) &&
    url.hostname !== '' &&
    Math.max(url.username.length, url.password.length) <= 255 &&
    /^\/?$/.test(url.pathname) &&
    !/[?#\s]/.test(value)
  )
}

/** Headers that belong to one connection, or that say how the body is sent: the server writes them itself (RFC 9110, 7.6.1). */
const ownHeaders = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|accept-encoding|expect)$/
/** Headers with credentials. They are allowed only with the channel's key in them, so that the key is not lost by accident. */
const loginHeaders = /^(?:authorization|cookie|x-api-key|api-key|x-goog-api-key)$/
/** Placeholder of the channel's key in a header. */
export const keyPlaceholder = '{api_key}'

function isHeader(name: string, value: unknown): boolean {
  const known = name.toLowerCase()
  if (typeof value !== 'string' || value.length > headerLengthMax || !/^[\x20-\x7e]*$/.test(value)) return false
  if (!/^[!#$%&'*+.^_`|~\w-]{1,128}$/.test(name) || ownHeaders.test(known)) return false
  return !loginHeaders.test(known) || value === '' || value.includes(keyPlaceholder)
}

function isHeaders(text: string): boolean {
  try {
    const parsed = parseJsonText(text)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return false
    const entries = Object.entries(parsed)
    const names = new Set(entries.map(([name]) => name.toLowerCase()))
    return entries.length <= headersMax && names.size === entries.length && entries.every(([name, value]) => isHeader(name, value))
  } catch {
    return false
  }
}

const seconds = z
  .int(says('channel_wait_invalid'))
  .check(z.gte(0, says('channel_wait_invalid')), z.lte(secondsMax, says('channel_wait_invalid')))

/** Missing and null leave a setting unchanged; in a new channel it has its default. */
const maybe = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema))

/** Most methods and paths of a raw proxy. */
const proxyRulesMax = 100

const listOf = (isOne: (text: string) => boolean, key: 'proxy_methods_invalid' | 'proxy_paths_invalid') =>
  z.pipe(
    z.pipe(z.string(says(key)).check(lengthMax(addressMax * 4, key)), z.transform(cleanList)),
    z.string().check(z.refine((list) => list === '' || isListOf(list.split(','), isOne), says(key))),
  )

function isListOf(entries: readonly string[], isOne: (text: string) => boolean): boolean {
  return entries.length <= proxyRulesMax && entries.every(isOne)
}

export const channelSettingsInput = {
  in_flight_max: maybe(
    z.int(says('in_flight_max_invalid')).check(z.gte(0, says('in_flight_max_invalid')), z.lte(inFlightMax, says('in_flight_max_invalid'))),
  ),
  proxy: maybe(
    z.string(says('proxy_invalid')).check(
      z.trim(),
      lengthMax(addressMax, 'address_too_long'),
      z.refine((value) => value === '' || isProxy(value), says('proxy_invalid')),
    ),
  ),
  headers: maybe(
    z.string(says('channel_headers_invalid')).check(
      z.trim(),
      lengthMax(jsonTextMax, 'json_too_long'),
      z.refine((value) => value === '' || isHeaders(value), says('channel_headers_invalid')),
    ),
  ),
  system_prompt: maybe(z.string(says('system_prompt_too_long')).check(z.maxLength(promptLengthMax, says('system_prompt_too_long')))),
  first_byte_seconds: maybe(seconds),
  idle_seconds: maybe(seconds),
  total_seconds: maybe(seconds),
  test_model: maybe(
    z.string(says('model_name_invalid')).check(
      z.trim(),
      lengthMax(modelNameMax, 'model_name_invalid'),
      z.refine((value) => value === '' || isModelName(value), says('model_name_invalid')),
    ),
  ),
  auto_disable: maybe(z.boolean(says('invalid_parameter'))),
  content_of_key: maybe(z.boolean(says('invalid_parameter'))),
  proxy_methods: maybe(listOf(isProxyMethod, 'proxy_methods_invalid')),
  proxy_paths: maybe(listOf(isProxyPath, 'proxy_paths_invalid')),
  allowed_members: maybe(
    z.pipe(
      z.string(says('allowed_members_invalid')).check(
        lengthMax(allowedLengthMax, 'allowed_members_invalid'),
        z.refine((value) => isMemberList(value), says('allowed_members_invalid')),
      ),
      z.transform(cleanList),
    ),
  ),
  rewrites_off: maybe(
    z.pipe(
      z.string(says('rewrites_off_invalid')).check(
        lengthMax(allowedLengthMax, 'rewrites_off_invalid'),
        z.refine((value) => isRewriteList(value), says('rewrites_off_invalid')),
      ),
      z.transform(cleanList),
    ),
  ),
  cost_factor: maybe(
    z.number(says('cost_factor_invalid')).check(z.gte(0, says('cost_factor_invalid')), z.lte(costFactorMax, says('cost_factor_invalid'))),
  ),
  cost_prices: maybe(
    z.string(says('cost_prices_invalid')).check(
      z.trim(),
      lengthMax(jsonTextMax, 'json_too_long'),
      z.refine((value) => parsePriceRules(value) !== null, { error: says('cost_prices_invalid'), abort: true }),
      z.refine((value) => (parsePriceRules(value)?.size ?? 0) <= channelLimits.rows, says('cost_prices_too_long')),
    ),
  ),
}

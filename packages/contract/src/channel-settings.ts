import * as z from 'zod/mini'
import { isModelName, says } from './parts.ts'

/** What only some channels need to have set, flat beside the other members of a channel. A missing member is as here. */
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
} as const

/** As a row shows them: secrets blank. */
export const channelSettingsRow = {
  /** Requests that may run at once; 0 = as many as come. */
  in_flight_max: z.int(),
  /** Where requests go through; the password of its login is `***`. */
  proxy: z.string(),
  /** JSON object text: header -> value. Values are blank. */
  headers: z.string(),
  /** Stands before the messages of every chat. */
  system_prompt: z.string(),
  /** Longest waits; 0 = as the kind of call has it. */
  first_byte_seconds: z.int(),
  idle_seconds: z.int(),
  total_seconds: z.int(),
  /** Empty: chosen by the test. */
  test_model: z.string(),
  /** Whether the program may disable the channel by itself. */
  auto_disable: z.boolean(),
}

/** Most requests at once, longest wait and longest prompt that can be set. */
const inFlightMax = 100_000
const secondsMax = 86_400
const promptLengthMax = 65_536
const headersMax = 32
const headerLengthMax = 4_096

const proxySchemes = ['http:', 'socks5:']

function isProxy(value: string): boolean {
  const url = URL.parse(value)
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
/** Headers that carry a login. Such a one is set only together with the channel's key: nobody loses it by accident. */
const loginHeaders = /^(?:authorization|cookie|x-api-key|api-key|x-goog-api-key)$/
/** What stands for the channel's key in a header. */
export const keyPlaceholder = '{api_key}'

function isHeader(name: string, value: unknown): boolean {
  const known = name.toLowerCase()
  if (typeof value !== 'string' || value.length > headerLengthMax || !/^[\x20-\x7e]*$/.test(value)) return false
  if (!/^[!#$%&'*+.^_`|~\w-]{1,128}$/.test(name) || ownHeaders.test(known)) return false
  return !loginHeaders.test(known) || value === '' || value.includes(keyPlaceholder)
}

function isHeaders(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text)
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

/** Missing and null leave a setting as it is: in a new channel as it is by itself. */
const maybe = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema))

export const channelSettingsInput = {
  in_flight_max: maybe(
    z.int(says('in_flight_max_invalid')).check(z.gte(0, says('in_flight_max_invalid')), z.lte(inFlightMax, says('in_flight_max_invalid'))),
  ),
  proxy: maybe(
    z.string(says('proxy_invalid')).check(
      z.trim(),
      z.refine((value) => value === '' || isProxy(value), says('proxy_invalid')),
    ),
  ),
  headers: maybe(
    z.string(says('channel_headers_invalid')).check(
      z.trim(),
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
      z.refine((value) => value === '' || isModelName(value), says('model_name_invalid')),
    ),
  ),
  auto_disable: maybe(z.boolean(says('invalid_parameter'))),
}

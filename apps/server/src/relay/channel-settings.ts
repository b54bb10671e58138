import { type ChannelRow, keyPlaceholder, noChannelSettings } from '@sluice/contract'

/** What only some channels have set. `null`: nothing is, so that what holds for all holds. */
export interface ChannelSettings {
  /** Requests that may run at once. */
  readonly inFlightMax: number | null
  /** Address of the proxy, with its login. */
  readonly proxy: string | null
  /** Sent along with every request; the key is not in them yet. */
  readonly headers: Readonly<Record<string, string>>
  /** Stands before what the client says, as `system-prompt.ts` has it; empty: none. */
  readonly systemPrompt: string
  readonly firstByteMs: number | null
  readonly idleMs: number | null
  readonly totalMs: number | null
  /** Empty: chosen by the test. */
  readonly testModel: string
  /** Whether the program may disable the channel by itself. */
  readonly mayBeDisabled: boolean
}

/** @param text as it is stored, opened */
export function readSettings(text: string): ChannelSettings {
  // Holds: only what the contract has checked is stored.
  const given = text === '' ? {} : (JSON.parse(text) as Partial<Pick<ChannelRow, keyof typeof noChannelSettings>>)
  const settings = { ...noChannelSettings, ...given }
  return {
    inFlightMax: settings.in_flight_max || null,
    proxy: settings.proxy || null,
    // Holds: the same.
    headers: settings.headers === '' ? {} : (JSON.parse(settings.headers) as Record<string, string>),
    systemPrompt: settings.system_prompt,
    firstByteMs: settings.first_byte_seconds * 1000 || null,
    idleMs: settings.idle_seconds * 1000 || null,
    totalMs: settings.total_seconds * 1000 || null,
    testModel: settings.test_model,
    mayBeDisabled: settings.auto_disable,
  }
}

/** The channel's own headers over those that every request to its vendor has: a name stands once, however it is written. */
export function withOwnHeaders(
  headers: Readonly<Record<string, string>>,
  { key, settings }: { readonly key: string; readonly settings: Pick<ChannelSettings, 'headers'> },
): Record<string, string> {
  const merged: Record<string, string> = { ...headers }
  for (const [name, value] of Object.entries(settings.headers)) merged[name.toLowerCase()] = value.replaceAll(keyPlaceholder, key)
  return merged
}

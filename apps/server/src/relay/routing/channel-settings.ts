import { type ChannelRow, noChannelSettings } from '@sluice/contract'
import type { ChannelSettings } from '../model/channel.ts'

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

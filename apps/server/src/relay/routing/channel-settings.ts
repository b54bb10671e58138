import { type ChannelRow, noChannelSettings } from '@sluice/contract'
import type { ChannelSettings } from '../model/channel.ts'
import type { ChannelTables } from './channel-tables.ts'

/** @param text the stored settings, decrypted */
export function readSettings(text: string, { costPricesOf }: Pick<ChannelTables, 'costPricesOf'>): ChannelSettings {
  // Holds: the contract checks settings before they are stored.
  const stored = text === '' ? {} : (JSON.parse(text) as Partial<Pick<ChannelRow, keyof typeof noChannelSettings>>)
  const settings = { ...noChannelSettings, ...stored }
  return {
    inFlightMax: settings.in_flight_max || null,
    proxy: settings.proxy || null,
    // Holds: as above.
    headers: settings.headers === '' ? {} : (JSON.parse(settings.headers) as Record<string, string>),
    systemPrompt: settings.system_prompt,
    firstByteMs: settings.first_byte_seconds * 1000 || null,
    idleMs: settings.idle_seconds * 1000 || null,
    totalMs: settings.total_seconds * 1000 || null,
    testModel: settings.test_model,
    mayBeDisabled: settings.auto_disable,
    hasContentOfKey: settings.content_of_key,
    proxyMethods: listOrNull(settings.proxy_methods),
    proxyPaths: listOrNull(settings.proxy_paths),
    allowedMembers: new Set(settings.allowed_members.split(',')),
    rewritesOff: new Set(settings.rewrites_off.split(',')),
    costFactor: settings.cost_factor,
    costPrices: costPricesOf(settings.cost_prices),
  }
}

const listOrNull = (list: string): readonly string[] | null => (list === '' ? null : list.split(','))

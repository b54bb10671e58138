import { keyPlaceholder } from '@sluice/contract'
import type { ChannelSettings } from '../model/channel.ts'

/** The channel's own headers over those that every request to its vendor has: a name stands once, however it is written. */
export function withOwnHeaders(
  headers: Readonly<Record<string, string>>,
  { key, settings }: { readonly key: string; readonly settings: Pick<ChannelSettings, 'headers'> },
): Record<string, string> {
  const merged: Record<string, string> = { ...headers }
  for (const [name, value] of Object.entries(settings.headers)) merged[name.toLowerCase()] = value.replaceAll(keyPlaceholder, key)
  return merged
}

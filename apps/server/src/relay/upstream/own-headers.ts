import { keyPlaceholder } from '@sluice/contract'
import type { ChannelSettings } from '../model/channel.ts'

/** Merges the channel's headers over the vendor's. Names are compared without case, so none is sent twice. */
export function withOwnHeaders(
  headers: Readonly<Record<string, string>>,
  { key, settings }: { readonly key: string; readonly settings: Pick<ChannelSettings, 'headers'> },
): Record<string, string> {
  const merged: Record<string, string> = { ...headers }
  for (const name in settings.headers) merged[name.toLowerCase()] = (settings.headers[name] ?? '').replaceAll(keyPlaceholder, key)
  return merged
}

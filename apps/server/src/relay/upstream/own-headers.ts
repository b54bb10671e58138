import { keyPlaceholder } from '@sluice/contract'
import type { ChannelSettings } from '../model/channel.ts'

/** Whether a header of the channel carries its key. */
export function namesKey({ headers }: Pick<ChannelSettings, 'headers'>): boolean {
  return Object.values(headers).some((value) => value.includes(keyPlaceholder))
}

/** Adds the channel's headers to the vendor's, or replaces them. Names are compared without case, so none is sent twice. */
export function withOwnHeaders(
  headers: Record<string, string>,
  { key, settings }: { readonly key: string; readonly settings: Pick<ChannelSettings, 'headers'> },
): Record<string, string> {
  for (const name in settings.headers) headers[name.toLowerCase()] = (settings.headers[name] ?? '').replaceAll(keyPlaceholder, key)
  return headers
}

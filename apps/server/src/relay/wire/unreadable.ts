import type { JsonObject } from '@sluice/vendors/core/json'
import { contentOfKeyIn } from '@sluice/vendors/registry/request/content-of-key'
import { localAddressIn } from '@sluice/vendors/registry/request/local-addresses'
import { isAtVendor } from '@sluice/vendors/registry/strict-hosts'
import { isMetadataHost } from '../../lib/egress.ts'
import { isPublicAddress } from '../../lib/public-address.ts'
import type { Channel } from '../model/channel.ts'

type ReadingChannel = Pick<Channel, 'vendor' | 'baseUrl' | 'settings'>

/** By which a channel is allowed to read addresses of the operator's network, beside members and tools. */
const localAddresses = 'local_addresses'

/** Whether a channel may be sent what the vendor keeps for the account of its key, and addresses that only a local network knows. */
export const readsContentOfKey = ({ settings }: ReadingChannel): boolean => settings.hasContentOfKey
export const readsLocalAddresses = (channel: ReadingChannel): boolean =>
  isAtVendor(channel) || channel.settings.allowedMembers.has(localAddresses)

/** Where a body names an address that only a local network knows; `null`: nowhere. Names are not resolved. */
export const localAddressOf = (body: JsonObject): string | null => localAddressIn(body, isPublic)

function isPublic(address: string): boolean {
  const host = URL.parse(address)?.hostname.replaceAll(/^\[|\]$|\.$/g, '') ?? ''
  return isPublicAddress(address) && !isMetadataHost(host)
}

type ContentIn = (body: JsonObject) => string | null

/**
 * The first place of a body that lets a vendor read what this channel may not; `null`: there is none.
 * @param contentIn where it names what the vendor keeps for the account of the key
 */
export function unreadable(channel: ReadingChannel, body: JsonObject, contentIn: ContentIn = contentOfKeyIn): string | null {
  const ofKey = readsContentOfKey(channel) ? null : contentIn(body)
  return ofKey ?? (readsLocalAddresses(channel) ? null : localAddressOf(body))
}

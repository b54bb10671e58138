import type { BodyUse, UnpricedPlace } from '@sluice/vendors/protocols/bodies/body-use'
import { isStrict } from '@sluice/vendors/registry/strict-hosts'
import type { Channel } from '../model/channel.ts'

/** What of a channel decides what it may be sent. */
type Judged = Pick<Channel, 'vendor' | 'baseUrl' | 'settings'>

/** The first place of a body whose bill is not known and that the channel does not allow; `null`: all of it may be sent there. */
export function unsendable(channel: Judged, use: BodyUse | undefined): UnpricedPlace | null {
  if (use === undefined || use.unpriced.length === 0 || !isStrict(channel)) return null
  return use.unpriced.find(({ name }) => !channel.settings.allowedMembers.has(name)) ?? null
}

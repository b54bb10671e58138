import type { BodyUse, UnpricedPlace } from '@sluice/vendors/bodies/body-use'
import { strictTypes } from '@sluice/vendors/bodies/strict-types'
import type { Vendor } from '@sluice/vendors/vendor'
import type { ChannelSettings } from '../model/channel.ts'

type Allowing = Pick<ChannelSettings, 'allowedMembers'>

/** The first place of a body whose bill is not known and that the channel does not allow; `null`: all of it may be sent there. */
export function unsendable({ type }: Pick<Vendor, 'type'>, { allowedMembers }: Allowing, use: BodyUse | undefined): UnpricedPlace | null {
  if (use === undefined || use.unpriced.length === 0 || !strictTypes.has(type)) return null
  return use.unpriced.find(({ name }) => !allowedMembers.has(name)) ?? null
}

export function maySend(vendor: Pick<Vendor, 'type'>, settings: Allowing, use: BodyUse | undefined): boolean {
  return unsendable(vendor, settings, use) === null
}

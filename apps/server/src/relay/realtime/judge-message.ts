import { isObject } from '@sluice/vendors/core/is-object'
import type { JsonObject } from '@sluice/vendors/core/json'
import { type BodyUse, bodyUseOf } from '@sluice/vendors/protocols/bodies/body-use'
import { AppError } from '../../lib/app-error.ts'
import type { Charge } from '../billing/billing.ts'
import { needNamedModels } from '../ingress/admission.ts'
import type { Channel } from '../model/channel.ts'
import { notOffered, notPriced } from '../routing/not-offered.ts'
import { namedModelError } from '../routing/route.ts'
import { unsendable } from '../routing/unsendable.ts'
import { unreadable } from '../wire/unreadable.ts'

type Judged = Pick<Charge, 'caller' | 'params' | 'resolvedPrice' | 'channel'>

/**
 * Refuses a client's message that makes the vendor of a session bill what has no price here, or read what it keeps for the account of its key.
 * @param body `null` = the message is no JSON object; vendors have been known to read such a message in their own way
 * @returns what it makes the vendor bill @throws AppError
 */
export function judgeMessage(body: JsonObject | null, { caller, params, resolvedPrice, channel }: Judged): BodyUse {
  if (body === null) throw new AppError('invalid_json')
  const use = bodyUseOf('realtime', body)
  // A session has one price.
  const other = use.models.find(({ role, model }) => role === 'instead' && model !== params.model)
  if (other !== undefined) throw new AppError('invalid_parameter', { params: { name: other.place } })
  needNamedModels(caller, { ...params, use }, resolvedPrice)
  if (channel === null) return use
  const absent = caller.pin === null && use.models.find(({ model }) => model !== params.model && !channel.models.includes(model))
  if (absent) throw namedModelError(absent.model, absent.place)
  const unpriced = unsendable(channel, use)
  if (unpriced !== null) throw notPriced(unpriced)
  const kept = unreadablePart(channel, body)
  if (kept !== null) throw notOffered({ name: kept })
  return use
}

/** Where a message names what the vendor of this channel may not read. */
function unreadablePart(channel: Channel, body: JsonObject): string | null {
  for (const name of ['session', 'response']) {
    const value = body[name]
    const inner = isObject(value) ? unreadable(channel, value) : null
    if (inner !== null) return `${name}.${inner}`
  }
  return unreadable(channel, { input: [body['item'] ?? null] })?.replace('input[0]', 'item') ?? null
}

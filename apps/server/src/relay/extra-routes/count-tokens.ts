import type { JsonObject } from '@sluice/vendors/core/json'
import { countedRequest } from '@sluice/vendors/protocols/shared/proto-members'
import { contentOfKeyIn } from '@sluice/vendors/registry/request/content-of-key'
import { tokenQuery } from '@sluice/vendors/registry/vendor-queries'
import { AppError } from '../../lib/app-error.ts'
import type { Mutex } from '../../lib/mutex.ts'
import type { Billing } from '../billing/billing.ts'
import { assertAffordable, type HoldDeps, leastQuota } from '../billing/open-charge.ts'
import { needModel, withPermit } from '../ingress/admission.ts'
import type { Callers } from '../ingress/callers.ts'
import type { Countable } from '../ingress/kinds/messages.ts'
import { type ReadDeps, type ReadRequest, readRequest } from '../ingress/read-request.ts'
import type { TokenLimiter } from '../ingress/token-limits.ts'
import type { Caller } from '../model/caller.ts'
import { type Channel, modelAt, type Route } from '../model/channel.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { KindRules, PathParts } from '../model/kind-rules.ts'
import type { Telemetry } from '../model/telemetry.ts'
import { mediaTokens } from '../pricing/measure-media.ts'
import type { MediaMeter } from '../pricing/media-meter.ts'
import type { Prices } from '../pricing/prices.ts'
import { PromptMedia } from '../pricing/prompt-media.ts'
import { tierOf } from '../routing/candidates.ts'
import type { Channels } from '../routing/channels.ts'
import { route } from '../routing/route.ts'
import type { Routing } from '../routing/routing.ts'
import type { Credentials } from '../upstream/credentials.ts'
import { type AskDeps, askVendor } from '../upstream/query-vendor.ts'
import { relayHeaders } from '../wire/error-response.ts'
import { localAddressOf, readsContentOfKey, readsLocalAddresses } from '../wire/unreadable.ts'

export interface CountDeps extends ReadDeps, AskDeps, Pick<HoldDeps, 'ledger'> {
  readonly deadlines: AskDeps['deadlines']
  readonly clock: AskDeps['clock']
  readonly callers: Pick<Callers, 'admit' | 'refused'>
  readonly limiter: TokenLimiter
  readonly channels: Pick<Channels, 'current'>
  readonly prices: Pick<Prices, 'resolve'>
  readonly routing: Routing
  readonly credentials: Credentials
  readonly billing: Pick<Billing, 'countTokens'>
  readonly telemetry: Pick<Telemetry, 'measuring'>
  readonly mediaMeter: MediaMeter
  /** Limits how many requests are counted at a time: responses are counted beside them. */
  readonly counting: Mutex
}

/** How tokens of a kind are counted. */
export interface CountForm {
  readonly rules: KindRules
  /** What is counted of a request, without its media, which are added to `media`. */
  readonly countable: (body: JsonObject, media: PromptMedia) => Countable
  readonly response: (tokens: number) => JsonObject
}

/**
 * The input tokens of a request, for free, but for callers who could pay for the request. A vendor of the client's protocol is called if the
 * model has a channel there; otherwise, and if it does not respond, the gateway counts. The header `x-token-count` says which.
 */
export function countTokens(form: CountForm) {
  return (incoming: RelayRequest, deps: CountDeps, path: PathParts): Promise<Response> => count(form, incoming, { deps, path })
}

interface CountContext {
  readonly deps: CountDeps
  readonly path: PathParts
}

async function count(form: CountForm, incoming: RelayRequest, { deps, path }: CountContext): Promise<Response> {
  const caller = await deps.callers.admit(incoming, incoming.protocol.keyForms)
  return await withPermit(caller, deps.limiter, async (permit) => {
    const parsed = await readRequest(incoming.request, { rules: form.rules, path }, deps)
    try {
      const { params } = parsed
      needModel(caller, params.model)
      const modelRoute = route(await deps.channels.current(), caller, params.model)
      await assertAffordable(deps, { caller, permit }, leastQuota(deps.prices.resolve(params.model, modelRoute.group)))
      deps.telemetry.measuring('count-tokens')
      const vendorCount = await askCount(parsed, { caller, modelRoute }, deps)
      const counted = form.response(vendorCount ?? (await ownCount(form, parsed, deps)))
      const headers = { ...relayHeaders(incoming.requestId, 0), 'x-token-count': vendorCount === null ? 'gateway' : 'vendor' }
      return Response.json(counted, { headers })
    } finally {
      parsed.close()
    }
  })
}

interface Routed {
  readonly caller: Caller
  readonly modelRoute: Route
}

/** How long a vendor may take to count. Clients count before each turn, and the gateway can count instead. */
const askMs = 3_000

/** `null`: no channel can be called, or the one that was called returned no count. */
async function askCount(parsed: ReadRequest, { caller, modelRoute }: Routed, deps: CountDeps): Promise<number | null> {
  const { params, body, clientHeaders } = parsed
  // Gemini's clients may wrap the request, beside which the vendor could read other members.
  const ofKey = contentOfKeyIn(body) ?? contentOfKeyIn(countedRequest(body))
  const local = localAddressOf(body)
  const mayRead = (channel: Channel): boolean =>
    (ofKey === null || readsContentOfKey(channel)) && (local === null || readsLocalAddresses(channel))
  const askAt = (channel: Channel) =>
    mayRead(channel) ? tokenQuery(channel, parsed.rules.kind, modelAt(channel, params.model)) : undefined
  const tiers = modelRoute.tiers.flatMap(({ channels }) => {
    const native = channels.filter((channel) => askAt(channel) !== undefined)
    return native.length === 0 ? [] : [tierOf(native)]
  })
  if (tiers.length === 0) return null
  try {
    const request = { tiers, params, rules: parsed.rules, tokenId: caller.tokenId, groups: caller.groups, isOver: () => false }
    const failover = deps.routing.begin(request)
    const channel = failover.next()
    // The count says nothing about the health of a channel.
    failover.end()
    const query = channel === null ? undefined : askAt(channel)?.(body, { model: modelAt(channel, params.model), clientHeaders })
    if (channel === null || query === undefined) return null
    return await askVendor(channel, query, { deps, credential: await deps.credentials.of(channel), withinMs: askMs })
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

async function ownCount({ countable }: CountForm, { body, params: { model } }: ReadRequest, deps: CountDeps): Promise<number> {
  const { billing, counting, mediaMeter } = deps
  const media = new PromptMedia(model)
  const { texts, otherTokens } = countable(body, media)
  const release = await counting.acquire()
  try {
    const { image, audio, document } = await mediaTokens(media, model, mediaMeter)
    return (await billing.countTokens(texts.join('\n'), model)) + otherTokens + image + audio + document.usual
  } finally {
    release()
  }
}

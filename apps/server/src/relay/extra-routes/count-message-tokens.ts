import type { Dialect } from '@sluice/vendors/dialect'
import { dialectOf } from '@sluice/vendors/dialects'
import { isObject } from '@sluice/vendors/is-object'
import { AppError } from '../../lib/app-error.ts'
import type { Billing } from '../billing/billing.ts'
import { needModel, withPermit } from '../ingress/admission.ts'
import type { Callers } from '../ingress/callers.ts'
import { countable, messages } from '../ingress/kinds/messages.ts'
import { type ReadDeps, type ReadRequest, readRequest } from '../ingress/read-request.ts'
import type { TokenLimiter } from '../ingress/token-limits.ts'
import type { Caller } from '../model/caller.ts'
import type { Channel, Route } from '../model/channel.ts'
import type { RelayRequest } from '../model/incoming.ts'
import { messageTokens } from '../pricing/count-tokens.ts'
import { tierOf } from '../routing/candidates.ts'
import type { Channels } from '../routing/channels.ts'
import { route } from '../routing/route.ts'
import type { Routing } from '../routing/routing.ts'
import { type AskDeps, askVendor } from '../upstream/ask-vendor.ts'
import type { Credentials } from '../upstream/credentials.ts'
import { relayHeaders } from '../wire/error-reply.ts'

export interface CountDeps extends ReadDeps, AskDeps {
  readonly deadlines: AskDeps['deadlines']
  readonly clock: AskDeps['clock']
  readonly callers: Pick<Callers, 'admit'>
  readonly limiter: TokenLimiter
  readonly channels: Pick<Channels, 'current'>
  readonly routing: Routing
  readonly credentials: Credentials
  readonly billing: Pick<Billing, 'countTokens'>
}

/**
 * POST /v1/messages/count_tokens: the input tokens of a message (Anthropic API, "Count tokens in a message", read 2026-11-23). It is free. A
 * vendor of this protocol is asked if the model has a channel there; otherwise, and if it does not answer, the gateway counts, and the
 * header `x-token-count` says so.
 */
export async function countMessageTokens(incoming: RelayRequest, deps: CountDeps): Promise<Response> {
  const caller = await deps.callers.admit(incoming)
  return await withPermit(caller, deps.limiter, async () => {
    const sent = await readRequest(incoming.request, { rules: messages, path: {} }, deps)
    try {
      needModel(caller, sent.params.model)
      const found = route(await deps.channels.current(), caller, sent.params.model)
      const told = await askCount(sent, { caller, found }, deps)
      const counted = { input_tokens: told ?? (await ownCount(sent, deps)) }
      const headers = { ...relayHeaders(incoming.requestId, 0), 'x-token-count': told === null ? 'gateway' : 'vendor' }
      return Response.json(counted, { headers })
    } finally {
      sent.close()
    }
  })
}

interface Routed {
  readonly caller: Caller
  readonly found: Route
}

const modelAt = (model: string, { mapping }: Channel): string => mapping.get(model) ?? model

/** `null`: no channel can be asked, or the one that was asked did not tell. */
async function askCount(sent: ReadRequest, { caller, found }: Routed, deps: CountDeps): Promise<number | null> {
  const { params, body, clientHeaders } = sent
  const askAt = (channel: Channel): Dialect['askTokens'] =>
    dialectOf(channel.vendor, messages.kind, modelAt(params.model, channel))?.askTokens
  const tiers = found.tiers.flatMap(({ channels }) => {
    const native = channels.filter((channel) => askAt(channel) !== undefined)
    return native.length === 0 ? [] : [tierOf(native)]
  })
  if (tiers.length === 0) return null
  try {
    const asked = { tiers, params, rules: messages, tokenId: caller.tokenId, groups: caller.groups, isOver: () => false }
    const failover = deps.routing.begin(asked)
    const channel = failover.next()
    // The count says nothing about the health of a channel.
    failover.end()
    const query = channel === null ? undefined : askAt(channel)?.(body, { model: modelAt(params.model, channel), clientHeaders })
    if (channel === null || query === undefined) return null
    return await askVendor(channel, query, { deps, credential: await deps.credentials.of(channel) })
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

async function ownCount({ params, body }: ReadRequest, { billing }: CountDeps): Promise<number> {
  const { messages: said, system, tools } = body
  const parts = [countable(said), countable(system)]
  const declared = Array.isArray(tools) ? tools.filter(isObject).map((tool) => JSON.stringify(tool)) : []
  const text = [...parts.flatMap(({ texts }) => texts), ...declared].join('\n')
  const count = (Array.isArray(said) ? said.length : 0) + (system === undefined ? 0 : 1)
  return (await billing.countTokens(text, params.model)) + parts.reduce((sum, { otherTokens }) => sum + otherTokens, count * messageTokens)
}

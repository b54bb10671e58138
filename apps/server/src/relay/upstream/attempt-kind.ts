import { dialectOf, withoutKind } from '@sluice/vendors/dialects'
import type { Kind } from '@sluice/vendors/kind'
import { speakingMessages } from '@sluice/vendors/messages/speaking'
import { speakingResponses } from '@sluice/vendors/responses/speaking'
import type { Vendor } from '@sluice/vendors/vendor'
import type { Attempt } from '../model/answer.ts'
import type { Call } from '../model/call.ts'
import { type Channel, modelAt } from '../model/channel.ts'
import type { RequestParams } from '../model/request-params.ts'
import { type AttemptDeps, attempt } from './attempt.ts'
import type { CapabilityCache } from './capability-cache.ts'

/**
 * One attempt at a channel. If its server lacks the kind, the fallback kind is tried at once. The lack is cached only if the fallback
 * brought an answer, because a server without the model responds almost the same.
 */
export function attemptKind(call: Call, channel: Channel, deps: KindAttemptDeps): Promise<Attempt> {
  const vendor = speakingVendor(call, channel)
  return vendor === null ? attemptChosen(call, channel, deps) : attemptSpeaking(call, { channel, vendor }, deps)
}

/** Kinds that a vendor may take beside its chats. */
const speakers: { readonly [K in Kind]?: typeof speakingMessages } = { messages: speakingMessages, responses: speakingResponses }

/** The vendor as a request reaches it that it takes beside its chats; `null` = it does not, or does not cover this one. */
function speakingVendor({ rules, params, body }: Call, channel: Channel): Vendor | null {
  const { vendor, baseUrl } = channel
  return speakers[rules.kind]?.(vendor, { body, model: modelAt(channel, params.model), baseUrl }) ?? null
}

interface ChannelVendor {
  readonly channel: Channel
  readonly vendor: Vendor
}

/** A server that does not have what its vendor has beside chats gets a chat. */
async function attemptSpeaking(call: Call, { channel, vendor }: ChannelVendor, deps: KindAttemptDeps): Promise<Attempt> {
  const tried = await attempt(call, { ...channel, vendor }, deps)
  return lackedKind(tried, call.rules.kind) !== null && !call.isClientGone ? await attemptChosen(call, channel, deps) : tried
}

function attemptChosen(call: Call, channel: Channel, deps: KindAttemptDeps): Promise<Attempt> {
  return channel.vendor.optionalKinds === undefined ? attemptMended(call, channel, deps) : attemptOrOther(call, channel, deps)
}

/** A request that is refused for a part that the vendor does not need is sent once more without it. */
function attemptMended(call: Call, channel: Channel, deps: AttemptDeps): Promise<Attempt> {
  return attempt(call, channel, deps).then((tried) => {
    if (tried.isOk || tried.failed.by !== 'vendor' || call.isClientGone) return tried
    const { failure: refusal } = tried.failed
    const body = dialectAt(call, channel)?.mended?.(call.body, refusal, modelAt(channel, call.params.model)) ?? null
    return body === null ? tried : attempt(call, channel, { ...deps, body, refusal })
  })
}

const dialectAt = (call: Call, channel: Channel) => dialectOf(channel.vendor, call.rules.kind, modelAt(channel, call.params.model))

export interface KindAttemptDeps extends AttemptDeps {
  readonly capabilities: CapabilityCache
}

async function attemptOrOther(call: Call, channel: Channel, deps: KindAttemptDeps): Promise<Attempt> {
  const { capabilities } = deps
  const vendor = capabilities.vendorOf(channel)
  const tried = await attemptMended(call, vendor === channel.vendor ? channel : { ...channel, vendor }, deps)
  if (tried.isOk) noteAnswered(call, { channel, vendor }, capabilities)
  const lacked = lackedKind(tried, call.rules.kind)
  const other = lacked !== null && canFallBack(call.params) && !call.isClientGone ? withoutKind(vendor, lacked) : null
  if (other === null) return tried
  const again = await attemptMended(call, { ...channel, vendor: other }, deps)
  if (again.isOk) capabilities.found(channel, other)
  return again
}

/** Records that the server has a kind that not all servers of its vendor have, unless a chat answered in its place. */
function noteAnswered(call: Call, { channel, vendor }: ChannelVendor, capabilities: CapabilityCache): void {
  const { kind } = call.rules
  if (vendor.optionalKinds?.includes(kind) !== true || capabilities.has(channel, kind)) return
  if (dialectOf(vendor, kind, modelAt(channel, call.params.model))?.fallbackKind === undefined) capabilities.answered(channel, kind)
}

/** Whether the fallback kind can serve the request: it has none of the native tools. */
function canFallBack({ nativeOnly, webSearch }: RequestParams): boolean {
  return nativeOnly === undefined && webSearch === undefined
}

/** The kind that the server lacks, if the error looks like an unknown path: it names neither the model nor a part of the request. */
function lackedKind(tried: Attempt, kind: Kind): Kind | null {
  if (tried.isOk || tried.failed.by !== 'vendor') return null
  const { status, failure, sentAs = kind } = tried.failed
  return status === 405 || (status === 404 && failure.code !== 'model_not_found' && failure.param === null) ? sentAs : null
}

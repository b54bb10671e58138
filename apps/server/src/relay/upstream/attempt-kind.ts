import type { Failure } from '@sluice/vendors/core/failure'
import type { Kind } from '@sluice/vendors/core/kind'
import { isSameRule, kindOfRule, type RequestRule } from '@sluice/vendors/core/request-rule'
import type { Vendor } from '@sluice/vendors/core/vendor'
import { speakingMessages } from '@sluice/vendors/protocols/anthropic/native-vendor'
import { speakingResponses } from '@sluice/vendors/protocols/responses/native-vendor'
import { learnRule } from '@sluice/vendors/protocols/rules/learned-rules'
import { dialectOf, withoutKind } from '@sluice/vendors/registry/dialect-of'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import type { Call } from '../model/call.ts'
import { type Channel, modelAt } from '../model/channel.ts'
import { nameOfSubcall } from '../model/kind-rules.ts'
import type { RequestParams } from '../model/request-params.ts'
import type { TextsOfTokens } from '../model/token-texts.ts'
import type { Attempt } from '../model/upstream-response.ts'
import { attempt } from './attempt.ts'
import { attemptEmbeddings } from './attempt-embeddings.ts'
import type { CapabilityCache } from './capability-cache.ts'
import type { AttemptDeps } from './current-attempt.ts'

/**
 * One attempt at a channel. If its server lacks the kind, the fallback kind is tried at once. The lack is cached only if the fallback
 * brought a response, because a server without the model responds almost the same.
 */
export function attemptKind(call: Call, channel: Channel, deps: KindAttemptDeps): Promise<Attempt> {
  const { kind } = call.rules
  if (call.rules.subcall !== undefined) return attemptOnce(call, channel, deps).then((tried) => withoutSubcall(tried, call.rules))
  if (kind !== 'embeddings' && kind !== 'embed') return attemptOnce(call, channel, deps)
  return attemptEmbeddings(call, channel, { deps, attemptPart: (part) => attemptOnce(part, channel, deps) })
}

function attemptOnce(call: Call, channel: Channel, deps: KindAttemptDeps): Promise<Attempt> {
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
  const tried = await attemptMended(call, { channel, vendor }, deps)
  return lackedKind(tried, call.rules.kind) !== null && !call.isClientGone ? await attemptChosen(call, channel, deps) : tried
}

function attemptChosen(call: Call, channel: Channel, deps: KindAttemptDeps): Promise<Attempt> {
  return channel.vendor.optionalKinds === undefined
    ? attemptMended(call, { channel, vendor: channel.vendor }, deps)
    : attemptOrOther(call, channel, deps)
}

/** How often a request is sent again to one channel: some models name one parameter at a time. */
const resendsMax = 4

/** A request that is refused for a part that the vendor does not need, or that the model does not take, is sent once more without it. */
function attemptMended(call: Call, at: ChannelVendor, deps: KindAttemptDeps): Promise<Attempt> {
  const { channel, vendor } = at
  const used = vendor === channel.vendor ? channel : { ...channel, vendor }
  const rules = deps.capabilities.rulesOf(channel, modelAt(channel, call.params.model))
  return attempt(call, used, rules === undefined ? deps : { ...deps, rules }).then((tried) =>
    isRefusedByVendor(tried) ? attemptAgain(call, { ...at, used }, { deps, tried, rules: rules ?? [] }) : tried,
  )
}

type Failed = Extract<AttemptFailure, { readonly by: 'vendor' }>

const isRefusedByVendor = (tried: Attempt): tried is Attempt & { readonly isOk: false; readonly failed: Failed } =>
  !tried.isOk && tried.failed.by === 'vendor'

interface Refused {
  readonly deps: KindAttemptDeps
  readonly tried: Attempt
  /** What was known of the model. */
  readonly rules: readonly RequestRule[]
}

/** Sends it again until the vendor takes it or says nothing that helps. What it took to succeed is remembered. */
async function attemptAgain(call: Call, { channel, used }: ChannelVendor & { readonly used: Channel }, first: Refused): Promise<Attempt> {
  const { deps } = first
  const model = modelAt(channel, call.params.model)
  let { tried } = first
  let change: Change = { rules: first.rules }
  for (let resends = 0; resends < resendsMax && isRefusedByVendor(tried) && !call.isClientGone; resends += 1) {
    const next = nextChange(call, { channel, used, model, change }, tried.failed.failure)
    if (next === null) return tried
    change = next
    tried = await attempt(call, used, { ...deps, ...change })
  }
  if (tried.isOk && change.rules !== first.rules) deps.capabilities.learned(channel, model, change.rules)
  return tried
}

/** What is changed in a request that was refused. */
interface Change extends Pick<AttemptDeps, 'body' | 'refusal'> {
  readonly rules: readonly RequestRule[]
}

interface Resent {
  readonly channel: Channel
  readonly used: Channel
  readonly model: string
  /** What was changed before. */
  readonly change: Change
}

/** Kinds whose requests have the members that rules are about. A form is sent as it came. */
const ruled: ReadonlySet<Kind> = new Set(['chat', 'completions', 'responses', 'messages', 'generate'])

const mayLearn = ({ rules, form }: Call): boolean => form === null && ruled.has(rules.kind)

/** What to change after an error, beside what was changed before; `null` = it says nothing that helps. */
function nextChange(call: Call, { channel, used, model, change }: Resent, refusal: Failure): Change | null {
  const dialect = dialectOf(used.vendor, call.rules.kind, model)
  const body = change.body === undefined ? (dialect?.retryWithout?.(call.body, refusal, model) ?? null) : null
  if (body !== null) return { ...change, body, refusal }
  const rule = mayLearn(call) ? learnRule(refusal, { model, body: call.body }) : null
  // The channel may want requests of this kind unchanged.
  if (rule === null || channel.settings.rewritesOff.has(kindOfRule[rule.rule])) return null
  return change.rules.some((known) => isSameRule(known, rule)) ? null : { ...change, rules: [...change.rules, rule] }
}

export interface KindAttemptDeps extends AttemptDeps {
  readonly capabilities: CapabilityCache
  readonly textsOf: TextsOfTokens
}

async function attemptOrOther(call: Call, channel: Channel, deps: KindAttemptDeps): Promise<Attempt> {
  const { capabilities } = deps
  const vendor = capabilities.vendorOf(channel)
  const tried = await attemptMended(call, { channel, vendor }, deps)
  if (tried.isOk) noteServed(call, { channel, vendor }, capabilities)
  const lacked = lackedKind(tried, call.rules.kind)
  const other = lacked !== null && canFallBack(call.params) && !call.isClientGone ? withoutKind(vendor, lacked) : null
  if (other === null) return tried
  const again = await attemptMended(call, { channel, vendor: other }, deps)
  if (again.isOk) capabilities.recordVendor(channel, other)
  return again
}

/** Records that the server has a kind that not all servers of its vendor have, unless a chat responded in its place. */
function noteServed(call: Call, { channel, vendor }: ChannelVendor, capabilities: CapabilityCache): void {
  const { kind } = call.rules
  if (vendor.optionalKinds?.[kind] === undefined || capabilities.has(channel, kind)) return
  if (dialectOf(vendor, kind, modelAt(channel, call.params.model))?.fallbackKind === undefined) capabilities.served(channel, kind)
}

/** A server that does not have a call below responses cannot serve the request. */
function withoutSubcall(tried: Attempt, { kind, subcall = 'compact' }: Call['rules']): Attempt {
  if (lackedKind(tried, kind) === null) return tried
  return { isOk: false, failed: { by: 'form', code: 'parameter_not_offered', parameter: nameOfSubcall(subcall) } }
}

/** Whether the fallback kind can serve the request: it has none of the native tools. */
function canFallBack({ nativeOnly, webSearch }: RequestParams): boolean {
  return nativeOnly === undefined && webSearch === undefined
}

/** The kind that the server lacks, if the error looks like an unknown path: it names neither the model nor a part of the request. */
function lackedKind(tried: Attempt, kind: Kind): Kind | null {
  if (tried.isOk || tried.failed.by !== 'vendor') return null
  const { status, failure, upstreamKind = kind } = tried.failed
  return status === 405 || (status === 404 && failure.code !== 'model_not_found' && failure.param === null) ? upstreamKind : null
}

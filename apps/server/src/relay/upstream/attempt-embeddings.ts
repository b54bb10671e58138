import { inputsMaxAt } from '@sluice/vendors/core/embedding-inputs'
import type { JsonObject } from '@sluice/vendors/core/json'
import type { RequestRule } from '@sluice/vendors/core/request-rule'
import { inputsIn, inputsMaxIn, tokenListsIn } from '@sluice/vendors/protocols/embeddings/inputs'
import type { Call } from '../model/call.ts'
import { type Channel, modelAt } from '../model/channel.ts'
import type { TextsOfTokens } from '../model/token-texts.ts'
import type { Attempt } from '../model/upstream-response.ts'
import type { CapabilityCache } from './capability-cache.ts'
import type { AttemptDeps } from './current-attempt.ts'
import { attemptInParts } from './embedding-parts.ts'

interface EmbeddingDeps extends AttemptDeps {
  readonly capabilities: CapabilityCache
  readonly textsOf: TextsOfTokens
}

interface Sending {
  readonly deps: EmbeddingDeps
  /** Sends a call to the channel. */
  readonly attemptPart: (call: Call) => Promise<Attempt>
}

/**
 * An attempt at embeddings. A request with more inputs than the vendor takes is sent in parts: by the vendor's record, or by the error of a
 * server. Lists of token numbers become texts for a vendor that reads texts only.
 */
export async function attemptEmbeddings(call: Call, channel: Channel, sending: Sending): Promise<Attempt> {
  const isOff = channel.settings.rewritesOff.has('parameters')
  const isTextOnly = channel.vendor.embeddingInputs?.isTextOnly === true
  const body = isTextOnly ? await withTexts(call, isOff, sending.deps) : call.body
  if (body === null) return refused('input (token IDs)')
  const inputs = inputsIn(call.rules.kind, body)
  if (inputs === null || isOff) return await sending.attemptPart(call)
  return await attemptInputs(call, channel, { ...sending, body, count: inputs.length })
}

interface Inputs extends Sending {
  readonly body: JsonObject
  readonly count: number
}

/** How often a request is divided anew, because the server names a lower number of inputs. */
const divisionsMax = 3

/** Sends the inputs in parts that the server takes, and remembers how many that is where only its error reported it. */
async function attemptInputs(call: Call, channel: Channel, inputs: Inputs): Promise<Attempt> {
  const { capabilities } = inputs.deps
  const model = modelAt(channel, call.params.model)
  const rules = capabilities.rulesOf(channel, model) ?? []
  let most = learnedMax(rules) ?? inputsMaxAt(channel.vendor.embeddingInputs, model)
  let tried = await attemptParts(call, channel, { ...inputs, most })
  for (let divisions = 0; divisions < divisionsMax && !tried.isOk && !call.isClientGone; divisions += 1) {
    const lower = lowerMax(tried, Math.min(most, inputs.count))
    if (lower === null) return tried
    most = lower
    tried = await attemptParts(call, channel, { ...inputs, most })
    if (tried.isOk) capabilities.learned(channel, model, [...rules.filter(isOther), { rule: 'inputs-max', inputs: most }])
  }
  return tried
}

const isOther = ({ rule }: RequestRule): boolean => rule !== 'inputs-max'

function learnedMax(rules: readonly RequestRule[]): number | null {
  for (const rule of rules) if (rule.rule === 'inputs-max') return rule.inputs
  return null
}

/** The number of inputs that an error names, where it is lower than what was sent. */
function lowerMax(tried: Attempt, inputCount: number): number | null {
  if (tried.isOk || tried.failed.by !== 'vendor') return null
  const most = inputsMaxIn(tried.failed.failure.message)
  return most !== null && most < inputCount ? most : null
}

interface Parts extends Inputs {
  /** The most inputs of a part. */
  readonly most: number
}

/** Parts of a request, of which a vendor may take one input each. */
const partsMax = 2_048

async function attemptParts(call: Call, channel: Channel, { body, count, most, deps, attemptPart }: Parts): Promise<Attempt> {
  if (body === call.body && count <= most) return await attemptPart(call)
  if (count > most * partsMax) return refused(call.rules.kind === 'embed' ? 'requests' : 'input')
  const atOnce = channel.settings.inFlightMax ?? Number.POSITIVE_INFINITY
  const tried = await attemptInParts(call, { body, inputsMax: most, atOnce, attemptPart, deps })
  const texts = body === call.body ? [] : ['input: tokens -> texts']
  const parts = count > most ? [`inputs: ${count} -> ${Math.ceil(count / most)} requests`] : []
  call.rewrites = [...call.rewrites, ...[...texts, ...parts].map((what) => ({ kind: 'parameters' as const, what }))]
  return tried
}

const refused = (parameter: string): Attempt => ({ isOk: false, failed: { by: 'form', code: 'parameter_not_offered', parameter } })

/** The request with texts in the place of lists of token numbers; `null` = it has such lists, and nobody here knows the tokens of its model. */
async function withTexts({ body, params }: Call, isOff: boolean, deps: Pick<EmbeddingDeps, 'textsOf'>): Promise<JsonObject | null> {
  const lists = tokenListsIn(body)
  if (lists === null) return body
  const texts = isOff ? null : await deps.textsOf(lists, params.model)
  return texts === null ? null : { ...body, input: texts }
}

import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { maxOf, nonsense, noUsage } from '../../core/no-usage.ts'
import type { Delegated, Usage } from '../../core/usage.ts'
import { isCount, readCount, readCountIn } from '../../core/usage-count.ts'
import { objectsIn } from '../shared/chat-parts.ts'

/** The vendor's counts while a stream runs; `null` = not received yet, `NaN` = received, but invalid. */
export interface Counts {
  readonly input: number | null
  readonly output: number | null
  readonly cacheRead: number | null
  /** All cache writes; the split by lifetime is sent at the start of a stream only. */
  readonly cacheWrite: number | null
  readonly cacheWrite5m: number | null
  readonly cacheWrite1h: number | null
  readonly thinking: number | null
  readonly searches: number | null
  /** 1 = served in fast mode. */
  readonly fast: number | null
  /** 1 = kept within a region ("Data residency", a stored copy read 2026-11-23; `global` and `not_available` are no region). */
  readonly regional: number | null
}

export const noCounts: MessageUsage = {
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  cacheWrite5m: null,
  cacheWrite1h: null,
  thinking: null,
  searches: null,
  fast: null,
  regional: null,
  delegated: [],
  responseModel: null,
  largestCall: null,
  ranCode: false,
}

/** What is known of the usage of a message, while a stream runs. */
export interface MessageUsage extends Counts {
  /** Work of other models for it: advisors. */
  readonly delegated: readonly Delegated[]
  /** The model that served the request in place of the requested one; `null` = none did. */
  readonly responseModel: string | null
  /** Prompt and output of the longest iteration; `null` = none were reported. */
  readonly largestCall: number | null
  /** The vendor ran code for it. */
  readonly ranCode: boolean
}

/** The tools of which one run is a block (Anthropic, "Code execution tool", a stored copy read 2026-11-29). */
const codeTools: ReadonlySet<Json | undefined> = new Set(['code_execution', 'bash_code_execution', 'text_editor_code_execution'])

/** The counts after a block of content: no usage reports that code was run. */
export function withBlock(known: MessageUsage, block: Json | undefined): MessageUsage {
  const isRun = isObject(block) && block['type'] === 'server_tool_use' && codeTools.has(block['name'])
  return isRun && !known.ranCode ? { ...known, ranCode: true } : known
}

/**
 * The counts after another `usage` object. They are totals, so they overwrite (Messages API, "Streaming", read 2026-11-21). If it lists
 * iterations, the vendor bills all of them, each at the price of its own model, and the totals leave some out ("Compaction", "Understanding usage";
 * "Advisor tool" and "Refusals and fallback"; its SDK for TypeScript 1.14.0, read 2026-11-29).
 */
export function withUsage(known: MessageUsage, usage: Json | undefined): MessageUsage {
  if (!isObject(usage)) return known
  const iterations = billedIterations(objectsIn(usage['iterations']).slice(0, iterationsMax))
  const totals = merge(known, moved(known, countsIn(usage)), later)
  const [first, ...rest] = iterations.own
  const delegated = iterations.delegated.length > 0 ? iterations.delegated : known.delegated
  const responseModel = iterations.responseModel ?? known.responseModel
  const largestCall = maxOf(known.largestCall, largestOf(iterations.own))
  const others = { delegated, responseModel, largestCall, ranCode: known.ranCode }
  if (first === undefined) return { ...grownFrom(known, totals), ...others }
  const whole = merge(
    totals,
    rest.reduce((a, b) => merge(a, b, sum), first),
    later,
  )
  const { thinking, searches, fast, regional } = totals
  return { ...grownFrom(known, { ...whole, thinking, searches, fast, regional }), ...others }
}

/** Prompt, with what was cached, and output of the longest of some calls. */
function largestOf(calls: readonly Counts[]): number | null {
  const totals = calls.map(callOf).flatMap((usage) => (usage === null ? [] : [usage.promptTokens + usage.completionTokens]))
  return totals.reduce<number | null>(maxOf, null)
}

const callOf = (counts: Counts): Usage | null => toUsage({ ...noCounts, ...counts })

/** Iterations that are read: a request of one minute has had some dozens. */
const iterationsMax = 1_000

interface BilledIterations {
  /** Of the model that served the request. */
  readonly own: readonly Counts[]
  readonly delegated: readonly Delegated[]
  readonly responseModel: string | null
}

/**
 * An advisor costs what its model costs. If another model served in place of the requested one, the last iteration names it; one that was declined
 * before without output is not billed, and one with output costs what the requested model does.
 */
function billedIterations(iterations: readonly JsonObject[]): BilledIterations {
  const served = iterations.findLast(({ type }) => type === 'fallback_message')
  const advised = iterations.filter(({ type }) => type === 'advisor_message')
  const others = iterations.filter((iteration) => iteration['type'] !== 'advisor_message' && iteration !== served)
  const delegated = advised.flatMap(delegatedOf)
  if (served === undefined) return { own: others.map(countsIn), delegated, responseModel: null }
  const responseModel = modelOf(served)
  const isOfServing = (iteration: JsonObject): boolean => responseModel !== null && modelOf(iteration) === responseModel
  const own = others.filter(isOfServing)
  const declined = others.filter((iteration) => !isOfServing(iteration)).map(countsIn)
  const ofRequested = declined.filter(({ output }) => output !== 0).flatMap((counts) => delegatedFrom(requestedModel, counts))
  return { own: [...own, served].map(countsIn), delegated: [...delegated, ...ofRequested], responseModel }
}

/** Stands for the model of the request, which the vendor's usage does not name. */
export const requestedModel = ''

const modelMax = 256

const modelOf = ({ model }: JsonObject): string | null =>
  typeof model === 'string' && model !== '' && model.length <= modelMax ? model : null

function delegatedOf(iteration: JsonObject): readonly Delegated[] {
  const model = modelOf(iteration)
  return model === null ? [] : delegatedFrom(model, countsIn(iteration))
}

function delegatedFrom(model: string, counts: Counts): readonly Delegated[] {
  const usage = callOf(counts)
  return usage === null ? [] : [{ models: [model, model], usage: { ...usage, largestCall: usage.promptTokens + usage.completionTokens } }]
}

function countsIn(usage: JsonObject): Counts {
  return {
    input: readCount(usage['input_tokens']),
    output: readCount(usage['output_tokens']),
    cacheRead: readCount(usage['cache_read_input_tokens']),
    cacheWrite: readCount(usage['cache_creation_input_tokens']),
    cacheWrite5m: readCountIn(usage, 'cache_creation', 'ephemeral_5m_input_tokens'),
    cacheWrite1h: readCountIn(usage, 'cache_creation', 'ephemeral_1h_input_tokens'),
    thinking: readCountIn(usage, 'output_tokens_details', 'thinking_tokens'),
    searches: readCountIn(usage, 'server_tool_use', 'web_search_requests'),
    fast: usage['speed'] === 'fast' ? 1 : null,
    regional: usage['inference_geo'] === 'us' ? 1 : null,
  }
}

function later(before: number | null, now: number | null): number | null {
  return now ?? before
}

/**
 * Servers of others count what was cached as input at the beginning of a stream, and report it separately later: without the input (DashScope), or
 * with it (vLLM). The input of the beginning then includes it.
 */
function moved(known: Counts, now: Counts): Counts {
  const { input, cacheRead } = now
  if ((known.cacheRead ?? 0) > 0 || known.input === null || cacheRead === null || input !== null) return now
  return { ...now, input: Math.max(0, known.input - cacheRead) }
}

/** A total that decreases is invalid. What was input at first may be read from a cache later: their sum is the total. */
function grownFrom(before: Counts, now: Counts): Counts {
  const wasCached = before.cacheRead === null || before.cacheRead === 0
  const isMoved = wasCached && (now.cacheRead ?? 0) > 0
  const grownAll = merge(before, now, grown)
  if (!isMoved) return grownAll
  const isLess = (now.input ?? 0) + (now.cacheRead ?? 0) < (before.input ?? 0)
  return isLess ? grownAll : { ...grownAll, input: now.input }
}

function grown(before: number | null, now: number | null): number | null {
  return before === null || now === null || now >= before ? now : Number.NaN
}

function sum(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0)
}

function merge(a: Counts, b: Counts, combine: (a: number | null, b: number | null) => number | null): Counts {
  return {
    input: combine(a.input, b.input),
    output: combine(a.output, b.output),
    cacheRead: combine(a.cacheRead, b.cacheRead),
    cacheWrite: combine(a.cacheWrite, b.cacheWrite),
    cacheWrite5m: combine(a.cacheWrite5m, b.cacheWrite5m),
    cacheWrite1h: combine(a.cacheWrite1h, b.cacheWrite1h),
    thinking: combine(a.thinking, b.thinking),
    searches: combine(a.searches, b.searches),
    fast: combine(a.fast, b.fast),
    regional: combine(a.regional, b.regional),
  }
}

/** The usage of a response with this reason of its end. */
export function withRefusal(
  usage: Usage | null,
  stopReason: Json | undefined,
  { hasOutput }: { readonly hasOutput: boolean },
): Usage | null {
  return usage !== null && stopReason === 'refusal' && !hasOutput ? { ...usage, isRefused: true } : usage
}

/** Whether a block of content is output of the model: an empty text is none. */
export function isOutput(block: Json | undefined): boolean {
  return isObject(block) && (block['type'] !== 'text' || (block['text'] !== undefined && block['text'] !== ''))
}

/** Our prompt count includes cached tokens; the vendor's does not. `null` = counts are missing. */
export function toUsage(counts: MessageUsage): Usage | null {
  const { input, output } = counts
  if (input === null || output === null) return null
  const cachedTokens = counts.cacheRead ?? 0
  const cacheWrite1hTokens = counts.cacheWrite1h ?? 0
  // Cache entries live five minutes by default.
  const cacheWriteTokens = counts.cacheWrite === null ? (counts.cacheWrite5m ?? 0) : counts.cacheWrite - cacheWrite1hTokens
  const usage = {
    promptTokens: input + cachedTokens + cacheWriteTokens + cacheWrite1hTokens,
    completionTokens: output,
    cachedTokens,
    cacheWriteTokens,
    cacheWrite1hTokens,
    reasoningTokens: Math.min(counts.thinking ?? 0, output),
    searches: counts.searches ?? 0,
  }
  if (!Object.values(usage).every(isCount)) return nonsense
  const isRegional = counts.regional !== null
  // A response has one kind of cache, and only marks of the request write to one.
  const isCacheExplicit = cacheWriteTokens + cacheWrite1hTokens > 0
  return {
    ...noUsage,
    ...usage,
    containers: counts.ranCode ? 1 : 0,
    serviceTier: counts.fast === null ? 'standard' : 'fast',
    isRegional,
    isCacheExplicit,
    ...workOfOthers(counts),
  }
}

function workOfOthers({
  delegated,
  responseModel,
  largestCall,
}: MessageUsage): Pick<Usage, 'delegated' | 'responseModel' | 'largestCall' | 'isSuspect'> {
  return { delegated, responseModel, largestCall, isSuspect: delegated.some(({ usage }) => usage.isSuspect) }
}

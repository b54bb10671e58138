import { admits, admitsAsLast, begin, type Circuit, cool, finish, isCooling, newCircuit, type Outcome } from './circuit.ts'

/**
 * The health of one model at one channel for one kind of call. The failures of one token only make that token prefer other channels; only
 * failures of different requests of different tokens open the circuit that all tokens share.
 */
export interface ModelHealth {
  /** The circuit shared by all tokens. */
  shared: Circuit
  readonly tokens: Map<number, TokenHealth>
  /** Requests counted since the last success: a request that is sent again is not counted again. */
  readonly counted: Set<RequestHash>
  /** The token that last got a 429 without a time, and until when it avoids the model here. */
  limited: Limited
  /** After two tokens got one: until then all tokens prefer other channels. */
  avoidedUntilMs: number
  /** Running requests that `admitsTrial` let through. */
  trials: number
}

interface Limited {
  readonly tokenId: number
  readonly untilMs: number
}

/** Equal for equal requests. `null`: not to be compared with others. */
export type RequestHash = number | bigint | null

interface TokenHealth {
  /** Opened by this token's failures. If no other channel is left, the token is let through anyway. */
  own: Circuit
  failedMs: number
  /** Failures that counted in the shared circuit, since `countingMs`. */
  counted: number
  countingMs: number
}

/** Failures of one token that count in the shared circuit per `countedSpanMs`: fewer than open it. */
const countedOfTokenMax = 3
const countedSpanMs = 15_000
/** Requests remembered as counted; the circuit opens long before. */
const countedMax = 64
/** A healthy token is forgotten so long after its last failure. */
const forgottenMs = 60_000
/** Tokens whose failures are remembered; the one that failed longest ago is dropped. */
const tokensMax = 256
/** A token without failures for so long may try a model that is dead for others. */
const restAfterFailureMs = 1_000
/** Maximum number of such trials at once. */
const trialsMax = 16

export function newModelHealth(): ModelHealth {
  return {
    shared: newCircuit,
    tokens: new Map(),
    counted: new Set(),
    limited: { tokenId: 0, untilMs: Number.NEGATIVE_INFINITY },
    avoidedUntilMs: Number.NEGATIVE_INFINITY,
    trials: 0,
  }
}

/** The circuits that count for one token: the shared one and its own. */
export function circuitsOf({ shared, tokens }: ModelHealth, tokenId: number): readonly [Circuit, Circuit] {
  return [shared, tokens.get(tokenId)?.own ?? newCircuit]
}

export function modelAdmits(model: ModelHealth, tokenId: number, nowMs: number): boolean {
  const own = model.tokens.get(tokenId)?.own ?? newCircuit
  return model.avoidedUntilMs <= nowMs && admits(model.shared, nowMs) && admits(own, nowMs)
}

/** Whether the model of a channel admits a request of the token if no other channel is left. */
export function modelAdmitsAsLast(model: ModelHealth, tokenId: number, nowMs: number): boolean {
  const [shared, own] = circuitsOf(model, tokenId)
  return !isCooling(own, nowMs) && (admitsAsLast(shared, nowMs) || admitsTrial(model, tokenId, nowMs))
}

/**
 * A model that fails for others may work for a token without recent failures. Otherwise clients with bad requests would use up all probes,
 * and a client with a good request would have to wait.
 */
function admitsTrial({ shared, tokens, trials }: ModelHealth, tokenId: number, nowMs: number): boolean {
  if (isCooling(shared, nowMs) || trials >= trialsMax) return false
  const failedMs = tokens.get(tokenId)?.failedMs ?? Number.NEGATIVE_INFINITY
  return nowMs - failedMs >= restAfterFailureMs
}

/** One request at the model, as its circuits count it. */
export class ModelAttempt {
  readonly #model: ModelHealth
  readonly #tokenId: number
  readonly #isLast: boolean
  #isTrial: boolean
  #isProbe: boolean
  #isOwnProbe: boolean

  constructor(model: ModelHealth, { tokenId, isLast }: { readonly tokenId: number; readonly isLast: boolean }, nowMs: number) {
    this.#model = model
    this.#tokenId = tokenId
    this.#isLast = isLast
    this.#isTrial = isLast && model.shared.isDead
    if (this.#isTrial) model.trials += 1
    model.shared = begin(model.shared, nowMs)
    this.#isProbe = model.shared.state === 'half_open'
    const token = model.tokens.get(tokenId)
    if (token !== undefined) token.own = begin(token.own, nowMs)
    this.#isOwnProbe = token?.own.state === 'half_open'
  }

  served(nowMs: number): void {
    const model = this.#model
    model.counted.clear()
    this.#report('good', 'good', nowMs)
    const token = model.tokens.get(this.#tokenId)
    if (token?.own.state === 'closed' && nowMs - token.failedMs > forgottenMs) model.tokens.delete(this.#tokenId)
  }

  /** @param outcome for this token's circuit; the shared one gets it only if the failure counts there */
  failed(outcome: Outcome, request: RequestHash, nowMs: number): void {
    if (outcome === 'unknown') {
      this.#report('unknown', 'unknown', nowMs)
      return
    }
    const token = tokenOf(this.#model, this.#tokenId)
    token.failedMs = nowMs
    this.#report(counts(this.#model, token, { request, nowMs }) ? outcome : 'unknown', outcome, nowMs)
  }

  /** The vendor requested a cooldown. Without a time the request may be the cause, so only this token waits. */
  cool(untilMs: number, isTimed: boolean, nowMs: number): void {
    const model = this.#model
    if (isTimed) {
      model.shared = cool(model.shared, untilMs)
      return
    }
    const { limited } = model
    if (limited.untilMs > nowMs && limited.tokenId !== this.#tokenId) model.avoidedUntilMs = untilMs
    model.limited = { tokenId: this.#tokenId, untilMs }
    const token = tokenOf(model, this.#tokenId)
    token.own = cool(token.own, untilMs)
  }

  /** May be called twice. */
  end(nowMs: number): void {
    if (this.#isTrial || this.#isProbe || this.#isOwnProbe) this.#report('unknown', 'unknown', nowMs)
  }

  #report(ofAll: Outcome, ofToken: Outcome, nowMs: number): void {
    const model = this.#model
    model.shared = finish(model.shared, { outcome: ofAll, isProbe: this.#isProbe, isLast: this.#isLast }, nowMs)
    const token = model.tokens.get(this.#tokenId)
    if (token !== undefined) token.own = finish(token.own, { outcome: ofToken, isProbe: this.#isOwnProbe, isLast: this.#isLast }, nowMs)
    if (this.#isTrial) model.trials -= 1
    this.#isTrial = false
    this.#isProbe = false
    this.#isOwnProbe = false
  }
}

function tokenOf({ tokens }: ModelHealth, tokenId: number): TokenHealth {
  const known = tokens.get(tokenId)
  const token = known ?? { own: newCircuit, failedMs: Number.NEGATIVE_INFINITY, counted: 0, countingMs: Number.NEGATIVE_INFINITY }
  // Moves the token to the end: the map is sorted by last failure.
  tokens.delete(tokenId)
  tokens.set(tokenId, token)
  const oldest = tokens.size > tokensMax ? tokens.keys().next().value : undefined
  if (oldest !== undefined) tokens.delete(oldest)
  return token
}

function counts(
  { counted }: ModelHealth,
  token: TokenHealth,
  { request, nowMs }: { readonly request: RequestHash; readonly nowMs: number },
): boolean {
  if (request !== null && counted.has(request)) return false
  if (nowMs - token.countingMs >= countedSpanMs) {
    token.counted = 0
    token.countingMs = nowMs
  }
  if (token.counted >= countedOfTokenMax) return false
  token.counted += 1
  if (request !== null && counted.size < countedMax) counted.add(request)
  return true
}

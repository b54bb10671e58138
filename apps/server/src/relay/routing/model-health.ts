import { admits, admitsAsLast, begin, type Circuit, cool, finish, isCooling, newCircuit, type Outcome } from './circuit.ts'

/**
 * How one model does at one channel for one kind of call. What a failure says depends on who met it: the failures of one token keep that
 * token away where it has a choice, and nobody else; only different requests of different tokens open the circuit that all share.
 */
export interface ModelHealth {
  /** What all tokens share. */
  shared: Circuit
  readonly tokens: Map<number, TokenHealth>
  /** Requests that have counted since the last good answer: one that is sent again is no further evidence. */
  readonly counted: Set<RequestHash>
  /** The token that was told "too many" last without a time, and until when it stays away. */
  /** The token that was told "too many" last without a time, and until when it stays away. */
  limited: Limited
  /** Two tokens were told so: until then all prefer other channels. */
  avoidedUntilMs: number
  /** Requests under way that `admitsTrial` let through. */
  trials: number
}

interface Limited {
  readonly tokenId: number
  readonly untilMs: number
}

/** The same request has the same value. `null`: it is known to be like no other. */
export type RequestHash = number | bigint | null

interface TokenHealth {
  /** Opened by this token's failures. Where no other channel is left, it is let through all the same. */
  own: Circuit
  failedMs: number
  /** Failures that counted for all, since `countingMs`. */
  counted: number
  countingMs: number
}

/** Failures of one token that count for all, within the span: fewer than open a circuit. */
const countedOfTokenMax = 3
const countedSpanMs = 15_000
/** Requests remembered as counted; by then the circuit is long open. */
const countedMax = 64
/** So long after its last failure nothing of a token that is well is remembered. */
const forgottenMs = 60_000
/** Tokens whose failures are remembered; the one that failed longest ago makes way. */
const tokensMax = 256
/** A token whose own last failure lies so far back may try what is dead for others. */
const restAfterFailureMs = 1_000
/** At most so many of them at once. */
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

/** How one token sees it: what it shares with all, and what is its own. */
export function circuitsOf({ shared, tokens }: ModelHealth, tokenId: number): readonly [Circuit, Circuit] {
  return [shared, tokens.get(tokenId)?.own ?? newCircuit]
}

export function modelAdmits(model: ModelHealth, tokenId: number, nowMs: number): boolean {
  const [shared, own] = circuitsOf(model, tokenId)
  return model.avoidedUntilMs <= nowMs && admits(shared, nowMs) && admits(own, nowMs)
}

/** The same where no other channel is left. */
export function modelAdmitsAsLast(model: ModelHealth, tokenId: number, nowMs: number): boolean {
  const [shared, own] = circuitsOf(model, tokenId)
  return !isCooling(own, nowMs) && (admitsAsLast(shared, nowMs) || admitsTrial(model, tokenId, nowMs))
}

/**
 * What others failed at may work for a token that has not failed, or not lately. Without this, clients with bad requests would take every
 * probe, and one with a good request would wait for all of them.
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

  answered(nowMs: number): void {
    const model = this.#model
    model.counted.clear()
    this.#tell('good', 'good', nowMs)
    const token = model.tokens.get(this.#tokenId)
    if (token?.own.state === 'closed' && nowMs - token.failedMs > forgottenMs) model.tokens.delete(this.#tokenId)
  }

  /** @param outcome what it was for this token; for all it is that only where it counts */
  failed(outcome: Outcome, request: RequestHash, nowMs: number): void {
    if (outcome === 'unknown') {
      this.#tell('unknown', 'unknown', nowMs)
      return
    }
    const token = tokenOf(this.#model, this.#tokenId)
    token.failedMs = nowMs
    this.#tell(counts(this.#model, token, { request, nowMs }) ? outcome : 'unknown', outcome, nowMs)
  }

  /** It wants to be left alone. Where it names no time that may be the request's fault, so this token alone must wait. */
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

  /** May be said twice. */
  end(nowMs: number): void {
    if (this.#isTrial || this.#isProbe || this.#isOwnProbe) this.#tell('unknown', 'unknown', nowMs)
  }

  #tell(ofAll: Outcome, ofToken: Outcome, nowMs: number): void {
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
  // The order of the map is the order of the last failures.
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

/**
 * A circuit breaker: a pure state machine without knowledge of channels and without a clock. Times are monotonic milliseconds.
 *
 * closed: used. open: not used for a time that doubles with each opening. half_open: probed by 1, 2, 4, ... requests until it closes.
 */
export interface Circuit {
  readonly state: 'closed' | 'open' | 'half_open'
  /** Failures since the last success. */
  readonly inRow: number
  /** Recent outcomes, in two halves of a sliding window. */
  readonly seen: WindowCounts
  readonly lastGoodMs: number
  /** Nothing has succeeded for a while: even as the last resort it is only probed. */
  readonly isDead: boolean
  /** How often it was opened since it was last closed for `forgottenMs`. */
  readonly ejections: number
  /** Open: until when. Closed: since when. */
  readonly sinceMs: number
  readonly probe: Probe
  /** End of the cooldown that the vendor requested. */
  readonly coolUntilMs: number
}

interface WindowCounts {
  readonly startMs: number
  readonly good: number
  readonly bad: number
  readonly goodBefore: number
  readonly badBefore: number
}

/** The state of half-open. */
interface Probe {
  /** How many probes may run at once. */
  readonly allowed: number
  readonly running: number
  /** Successes since `allowed` was last raised. */
  readonly good: number
  readonly lastMs: number
}

/**
 * The outcome of one request. refused: the vendor responded that it does not do this; other channels are preferred, but it is not dead.
 */
export type Outcome = 'good' | 'bad' | 'refused' | 'unknown'

/** The outcome of one request and how it was admitted. */
export interface Passage {
  readonly outcome: Outcome
  /** The circuit was half-open when the request began. */
  readonly isProbe: boolean
  /** No other channel could be chosen, so ramping up slowly gains nothing. */
  readonly isLast: boolean
}

/** This many failures in a row open the circuit. */
const inRowMax = 5
/** So does this share of failures among at least `seenMin` outcomes of the window. */
const badShareMax = 0.5
const seenMin = 20
const halfWindowMs = 15_000
/** How long it is open the first time; each further time doubles it. */
const firstEjectionMs = 5_000
const ejectionMsMax = 120_000
/** After being closed for so long, earlier openings are forgotten. */
const forgottenMs = 300_000
/** Dead after failures in a row and no success for so long. */
const deadAfterMs = 2_000
/** Minimum interval between the probes of a broken channel. */
const probeEveryMs = 1_000
/** Maximum number of concurrent probes as the last resort. */
const probesMax = 16
/** The circuit closes when so many concurrent probes were allowed and none failed. */
const believedAt = 16

const nothingSeen: WindowCounts = { startMs: 0, good: 0, bad: 0, goodBefore: 0, badBefore: 0 }
const noProbe: Probe = { allowed: 1, running: 0, good: 0, lastMs: Number.NEGATIVE_INFINITY }

export const newCircuit: Circuit = {
  state: 'closed',
  inRow: 0,
  seen: nothingSeen,
  lastGoodMs: Number.NEGATIVE_INFINITY,
  isDead: false,
  ejections: 0,
  sinceMs: Number.NEGATIVE_INFINITY,
  probe: noProbe,
  coolUntilMs: Number.NEGATIVE_INFINITY,
}

/** Whether one more request may use it while there are other channels. */
export function admits(circuit: Circuit, nowMs: number): boolean {
  if (isCooling(circuit, nowMs)) return false
  if (circuit.state === 'closed') return true
  if (circuit.state === 'open' && circuit.sinceMs > nowMs) return false
  return mayProbe(circuit, nowMs)
}

/**
 * Whether a circuit admits a request if no other channel is left. One that fails at times is better than none; a dead one is only probed;
 * one in a cooldown that its vendor requested gets none.
 */
export function admitsAsLast(circuit: Circuit, nowMs: number): boolean {
  if (isCooling(circuit, nowMs)) return false
  const { isDead, probe } = circuit
  // A probe may take as long as a response, so the next one does not wait for its end.
  return !isDead || (nowMs - probe.lastMs >= probeEveryMs && probe.running < probesMax)
}

export function isCooling({ coolUntilMs }: Circuit, nowMs: number): boolean {
  return coolUntilMs > nowMs
}

function mayProbe({ state, probe }: Circuit, nowMs: number): boolean {
  const isFirst = state === 'open' || probe.allowed === 1
  if (isFirst && nowMs - probe.lastMs < probeEveryMs) return false
  return state === 'open' || probe.running < probe.allowed
}

/** A request begins. It is a probe if the circuit is half-open afterwards; pass that to `finish` with the outcome. */
export function begin(circuit: Circuit, nowMs: number): Circuit {
  const { state, isDead, probe, sinceMs } = circuit
  if (state === 'closed' || (state === 'open' && !isDead && sinceMs > nowMs)) return circuit
  const before = state === 'open' ? noProbe : probe
  return { ...circuit, state: 'half_open', probe: { ...before, running: before.running + 1, lastMs: nowMs } }
}

export function finish(circuit: Circuit, { outcome, isProbe, isLast }: Passage, nowMs: number): Circuit {
  if (outcome === 'good' && isLast && circuit.state !== 'closed') return closed(afterGood(circuit, nowMs), nowMs)
  if (isProbe && circuit.state === 'half_open') return afterProbe(circuit, outcome, nowMs)
  if (outcome === 'unknown') return circuit
  if (outcome === 'good' && circuit.state === 'closed') return afterGood(circuit, nowMs, counted(circuit.seen, outcome, nowMs))
  const updated = outcome === 'good' ? afterGood(circuit, nowMs) : { ...circuit, inRow: circuit.inRow + 1 }
  switch (circuit.state) {
    case 'closed':
      return judged({ ...updated, seen: counted(circuit.seen, outcome, nowMs) }, outcome, nowMs)
    case 'open':
      return { ...updated, isDead: updated.isDead || isDead(updated, outcome, nowMs) }
    case 'half_open':
      // The request began before the circuit opened, so its failure says nothing about now.
      return outcome === 'good' ? updated : circuit
  }
}

/** The vendor requested a cooldown. The longest time counts. */
export function cool(circuit: Circuit, untilMs: number): Circuit {
  return untilMs > circuit.coolUntilMs ? { ...circuit, coolUntilMs: untilMs } : circuit
}

/** How long it is not used except as the last resort; 0: it is used. */
export function restMs({ state, sinceMs, coolUntilMs }: Circuit, nowMs: number): number {
  return Math.max(0, coolUntilMs - nowMs, state === 'open' ? sinceMs - nowMs : 0)
}

function afterGood(circuit: Circuit, nowMs: number, seen = circuit.seen): Circuit {
  // No spread: this runs for every request, and a spread copy takes several times as long.
  const { state, ejections, sinceMs, probe, coolUntilMs } = circuit
  return { state, inRow: 0, seen, lastGoodMs: nowMs, isDead: false, ejections, sinceMs, probe, coolUntilMs }
}

function afterProbe(circuit: Circuit, outcome: Outcome, nowMs: number): Circuit {
  const probe = { ...circuit.probe, running: Math.max(0, circuit.probe.running - 1) }
  if (outcome === 'unknown') return { ...circuit, probe }
  if (outcome !== 'good') return opened({ ...circuit, inRow: circuit.inRow + 1, probe }, outcome, nowMs)
  const good = probe.good + 1
  const updated = afterGood(circuit, nowMs)
  if (good < probe.allowed) return { ...updated, probe: { ...probe, good } }
  const allowed = probe.allowed * 2
  if (allowed <= believedAt) return { ...updated, probe: { ...probe, allowed, good: 0 } }
  return closed(updated, nowMs)
}

function closed(circuit: Circuit, nowMs: number): Circuit {
  return { ...circuit, state: 'closed', seen: { ...nothingSeen, startMs: nowMs }, sinceMs: nowMs, probe: noProbe }
}

function judged(circuit: Circuit, outcome: Outcome, nowMs: number): Circuit {
  const { inRow, seen } = circuit
  const bad = seen.bad + seen.badBefore
  const all = bad + seen.good + seen.goodBefore
  const isBad = inRow >= inRowMax || (inRow > 0 && all >= seenMin && bad >= all * badShareMax)
  return isBad ? opened(circuit, outcome, nowMs) : circuit
}

function opened(circuit: Circuit, outcome: Outcome, nowMs: number): Circuit {
  const isForgotten = circuit.state === 'closed' && nowMs - circuit.sinceMs > forgottenMs
  const ejections = (isForgotten ? 0 : circuit.ejections) + 1
  const forMs = Math.min(ejectionMsMax, firstEjectionMs * 2 ** (ejections - 1))
  return { ...circuit, state: 'open', ejections, sinceMs: nowMs + forMs, isDead: circuit.isDead || isDead(circuit, outcome, nowMs) }
}

function isDead({ inRow, lastGoodMs }: Circuit, outcome: Outcome, nowMs: number): boolean {
  return outcome === 'bad' && inRow >= inRowMax && nowMs - lastGoodMs > deadAfterMs
}

function counted(seen: WindowCounts, outcome: Outcome, nowMs: number): WindowCounts {
  const { startMs, good, bad, goodBefore, badBefore } = turned(seen, nowMs)
  const isGood = outcome === 'good'
  return { startMs, good: isGood ? good + 1 : good, bad: isGood ? bad : bad + 1, goodBefore, badBefore }
}

function turned(seen: WindowCounts, nowMs: number): WindowCounts {
  const agoMs = nowMs - seen.startMs
  if (agoMs < halfWindowMs) return seen
  if (agoMs >= 2 * halfWindowMs) return { ...nothingSeen, startMs: nowMs }
  return { startMs: seen.startMs + halfWindowMs, good: 0, bad: 0, goodBefore: seen.good, badBefore: seen.bad }
}

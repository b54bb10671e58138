import type { BudgetShare } from '@sluice/http1/byte-budget'
import { isObject, parseJson } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import type { Kind } from '@sluice/vendors/core/kind'
import { noUsage, sumOfUsages } from '@sluice/vendors/core/no-usage'
import type { Usage } from '@sluice/vendors/core/usage'
import { inputsIn, joinedResponse, textOfVectors, vectorsIn, withInputs } from '@sluice/vendors/protocols/embeddings/inputs'
import { responseBytesMax } from '../../lib/body-memory.ts'
import type { AttemptFailure, TransportCode } from '../model/attempt-failure.ts'
import { type Call, notAttempted } from '../model/call.ts'
import type { Attempt, AttemptResponse } from '../model/upstream-response.ts'
import type { AttemptDeps } from './current-attempt.ts'
import { parseResponse } from './parse-response.ts'

/** Parts of a request that are sent at a time. */
const partsAtOnce = 4

interface PartsDeps {
  readonly deps: Pick<AttemptDeps, 'largeJson' | 'responses'>
  /** The body of the request. */
  readonly body: JsonObject
  /** Sends a part of the request to the channel. */
  readonly attemptPart: (part: Call) => Promise<Attempt>
  /** The most inputs of a part. */
  readonly inputsMax: number
  /** The most parts that are sent at a time. */
  readonly atOnce: number
}

/**
 * Sends a request for embeddings with more inputs than the vendor takes in parts, and joins their responses in the order of the inputs. If a
 * part fails, the request fails with it, and the vendor bills the parts that it has completed until then.
 */
export async function attemptInParts(call: Call, options: PartsDeps): Promise<Attempt> {
  const run = createRun(call, options)
  const waiting = partsOf(inputsIn(call.rules.kind, options.body) ?? [], options.inputsMax)
  call.cancel = run.cancel
  const work = async (): Promise<void> => {
    for (const part of waiting) {
      if (run.isOver()) return
      await run.send(part)
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(partsAtOnce, options.atOnce) }, work))
    return run.result()
  } finally {
    run.end()
  }
}

interface Part {
  readonly index: number
  /** How many inputs stand before it. */
  readonly start: number
  readonly inputs: readonly Json[]
}

function* partsOf(inputs: readonly Json[], most: number): Generator<Part> {
  for (let start = 0; start < inputs.length; start += most) yield { index: start / most, start, inputs: inputs.slice(start, start + most) }
}

/** The response to a part. */
interface CompletedPart {
  /** Its embeddings as they stand in the whole response. */
  readonly vectors: string
  /** The rest of it. */
  readonly response: JsonObject
  readonly usage: Usage | null
}

type WholeResponse = Extract<AttemptResponse, { readonly kind: 'whole' }>

function createRun(call: Call, { deps, body, attemptPart }: PartsDeps) {
  const { kind } = call.rules
  const responded: CompletedPart[] = []
  const running = new Set<Call>()
  const share: BudgetShare = deps.responses.share(() => cancel('not_wanted'))
  const wholeLength = Math.max(1, lengthOf(inputsIn(kind, body) ?? []))
  let failed: AttemptFailure | null = null
  let length = 0
  /** What the vendor bills for the completed parts. */
  let spent: Usage | null = null

  function cancel(reason: Parameters<NonNullable<Call['cancel']>>[0]): void {
    failed ??= unreadable('upstream_reset', new Error(`the request was ended: ${reason}`))
    for (const part of running) part.cancel?.(reason)
  }

  async function send({ index, start, inputs }: Part): Promise<void> {
    const part = partOf(call, withInputs(kind, body, inputs))
    running.add(part)
    const tried = await attemptPart(part)
    running.delete(part)
    call.resends += part.resends
    call.address = part.address
    if (index === 0 || call.rewrites.length === 0) call.rewrites = part.rewrites
    if (!tried.isOk) {
      failed ??= tried.failed
      return
    }
    if (tried.response.kind !== 'whole') {
      tried.response.source.abort()
      failed ??= unreadable('upstream_invalid_response')
      return
    }
    const { response: whole } = tried
    spent = sumOfUsages(
      spent,
      whole.usage ?? { ...noUsage, promptTokens: Math.ceil(call.params.promptTokens * (lengthOf(inputs) / wholeLength)) },
    )
    const read = await readPart(whole, { kind, start, count: inputs.length, deps })
    if (read === null) failed ??= unreadable('upstream_invalid_response', new Error('the response does not have one embedding per input'))
    else keep(index, read)
  }

  function keep(index: number, part: CompletedPart): void {
    responded[index] = part
    length += part.vectors.length
    share.keep(length)
    if (length > responseBytesMax) failed ??= unreadable('upstream_answer_too_long')
  }

  return {
    send,
    isOver: () => failed !== null || call.isClientGone,
    result(): Attempt {
      if (failed !== null) return { isOk: false, failed: withSpent(failed, spent) }
      const [first] = responded
      if (first === undefined || call.isClientGone) return { isOk: false, failed: withSpent(clientLeft, spent) }
      const joined = { vectors: responded.map(({ vectors }) => vectors), usages: responded.map(({ response }) => response['usage']) }
      const isTold = responded.every(({ usage }) => usage !== null)
      const whole = {
        kind: 'whole',
        contentType: 'application/json',
        body: joinedResponse(kind, first.response, joined),
        text: '',
      } as const
      return { isOk: true, response: { ...whole, usage: isTold ? spent : null } }
    },
    end: () => share.keep(0),
    cancel,
  }
}

const clientLeft: AttemptFailure = { by: 'transport', code: 'upstream_unreachable', cause: new Error('client disconnected') }

const unreadable = (code: TransportCode, cause?: unknown): AttemptFailure => ({ by: 'transport', code, cause })

/** A failure after which another channel may be tried, with the usage of the parts completed before it. */
function withSpent(failed: AttemptFailure, usage: Usage | null): AttemptFailure {
  if (usage === null || failed.by === 'form') return failed
  const all = sumOfUsages(usage, failed.spent?.usage ?? null)
  return { ...failed, spent: { text: '', isTextCut: true, isFailed: true, ...failed.spent, usage: all } }
}

/** A part of a call. The client of the call is its client. */
function partOf(call: Call, body: JsonObject): Call {
  return {
    ...call,
    ...notAttempted,
    body,
    get isClientGone() {
      return call.isClientGone
    },
  }
}

/** By which the prompt of a request is shared out over its parts. */
function lengthOf(inputs: readonly Json[]): number {
  return inputs.reduce<number>((sum, input) => sum + (typeof input === 'string' ? input : JSON.stringify(input)).length, 0)
}

interface PartFacts {
  readonly kind: Kind
  readonly start: number
  readonly count: number
  readonly deps: Pick<AttemptDeps, 'largeJson'>
}

/** `null`: it has not one embedding for each input. */
async function readPart({ body, usage }: WholeResponse, { kind, start, count, deps }: PartFacts): Promise<CompletedPart | null> {
  const json = typeof body === 'string' ? parseJson(body) : await parseResponse(body, deps.largeJson)
  const rows = json === undefined ? null : vectorsIn(kind, json, count)
  if (rows === null || !isObject(json)) return null
  const { data: _rows, embeddings: _list, ...response } = json
  return { vectors: textOfVectors(kind, rows, start), response, usage }
}

import { releaseBuffer } from '@sluice/http1/release-buffer'
import type { ClientSocket, SocketHandlers } from '@sluice/http1/server-web-socket'
import type { Message } from '@sluice/http1/web-socket-frames'
import { noUsage } from '@sluice/vendors/core/no-usage'
import type { ClientMessage, CutTexts, SessionEvent } from '@sluice/vendors/core/session'
import type { BodyUse } from '@sluice/vendors/protocols/bodies/body-use'
import { pivotOf } from '@sluice/vendors/protocols/pivot-of'
import type { Ledger } from '../../ledger/ledger.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Deadline, Deadlines } from '../../lib/deadlines.ts'
import { type Outline, outlineOf } from '../../lib/json-outline.ts'
import type { Running } from '../../lib/running.ts'
import type { Billing, Charge } from '../billing/billing.ts'
import { type RelayLimits, readOnMsOf } from '../model/limits.ts'
import type { EndReason } from '../model/upstream-response.ts'
import type { Failover } from '../routing/routing.ts'
import type { UpstreamSocket } from '../upstream/http1/web-socket.ts'
import { clientError } from '../wire/error-response.ts'
import { openAiProtocol } from '../wire/protocols/open-ai.ts'
import { judgeMessage } from './judge-message.ts'
import { SessionMeter } from './session-meter.ts'
import { createSessionModels } from './session-models.ts'

/** Largest message: audio chunks may have 15 MiB (OpenAI API reference, "Realtime", as generated clients quote it, read 2026-11-21). */
export const messageBytesMax = 16 * 1024 * 1024
/** Bytes queued for one side; beyond it the other side is not read. */
const keptBytesMax = 256 * 1024
/** Output tokens of audio reserved at a time: ten seconds. */
const windowTokens = 200
/** Interval of pings to the vendor. */
const pingMs = 30_000

/** Messages of one session that may be refused. Refusing costs more than forwarding, so a client that only sends such messages is not served for long. */
export const refusalsMax = 1_000

/** Close code for a message that is too big (RFC 6455, 7.4.1). */
const tooBig = 1009
/** Close code for messages that break the rules of the server (RFC 6455, 7.4.1). */
const policyViolation = 1008

/** The close code of each end (RFC 6455, 7.4.1). */
const closeCodes: Readonly<Partial<Record<EndReason, number>>> = {
  shut_down: 1001,
  out_of_quota: policyViolation,
  upstream_cut: 1011,
  timed_out: 1011,
}

export interface SessionDeps {
  readonly ledger: Pick<Ledger, 'follow' | 'extend'>
  readonly billing: Pick<Billing, 'costOf' | 'settle'>
  readonly deadlines: Deadlines
  readonly limits: Pick<RelayLimits, 'totalMs' | 'abandonedMs'>
  readonly running: Pick<Running, 'begin'>
}

interface SessionOptions {
  readonly charge: Charge
  readonly deps: SessionDeps
  readonly failover: Failover
  readonly upstream: UpstreamSocket
  /** Called when the session is over and settled. */
  readonly over: () => void
}

interface RealtimeSession {
  readonly handlers: SocketHandlers
  cut(reason: EndReason): void
}

/** Relays messages both ways, counts their cost, and extends the reservation before it is used. */
export function createRealtimeSession({ charge, deps, failover, upstream, over }: SessionOptions): RealtimeSession {
  const { ledger, billing, deadlines, limits, running } = deps
  const look = pivotOf('realtime')
  let client: ClientSocket | null = null
  const meter = new SessionMeter(charge.params.model)
  const models = createSessionModels(charge.channel)
  const windowQuota = billing.costOf(charge, { ...noUsage, completionTokens: windowTokens, audioOutputTokens: windowTokens })
  /** Quota reserved while the session runs, without the initial reservation. */
  let reserved = 0
  let isOver = false
  let isAlive = true
  /** Messages of the client that were refused. */
  let refusals = 0
  /** Set when the client has left and the vendor's running response is awaited. */
  let leaving: Deadline | null = null
  const done = running.begin(() => cut('shut_down'))
  const total = deadlines.start(limits.totalMs, () => cut('timed_out'))
  let beat = deadlines.start(pingMs, onBeat)
  ledger.follow(charge.hold, () => {
    const { used } = meter
    const { promptTokens, completionTokens } = used
    return { amount: billing.costOf(charge, used), channelId: charge.channel?.id ?? 0, promptTokens, completionTokens }
  })

  function onBeat(): void {
    if (!isAlive) {
      cut('upstream_cut')
      return
    }
    isAlive = false
    upstream.ping()
    beat = deadlines.start(pingMs, onBeat)
  }

  function pong(): void {
    isAlive = true
  }

  /** Counts a message. `false`: the balance does not cover it. */
  function count(event: SessionEvent | null): boolean {
    if (event === null) return true
    meter.take(event)
    const more = billing.costOf(charge, meter.expected) - reserved
    if (more <= 0) return true
    const amount = [Math.max(more, windowQuota), more].find((quota) => ledger.extend(charge.hold, quota))
    reserved += amount ?? 0
    return amount !== undefined
  }

  function cut(reason: EndReason): void {
    if (isOver) return
    isOver = true
    deadlines.cancel(total)
    deadlines.cancel(beat)
    if (leaving !== null) deadlines.cancel(leaving)
    const code = closeCodes[reason] ?? 1000
    upstream.close(reason === 'client_gone' ? 1000 : code)
    const { used, isOpen } = meter
    failover.over({ reason })
    billing
      .settle(charge, {
        reason: !isOpen && reason === 'client_gone' ? 'complete' : reason,
        usage: used === noUsage ? null : used,
        text: '',
        isJudged: true,
      })
      .catch(() => undefined)
      .finally(() => {
        client?.close(code)
        over()
        done()
      })
  }

  /** The client has left. A running response is billed whole, reasoning and the results of servers included, so its end is awaited. */
  function leave(): void {
    if (isOver || leaving !== null) return
    const waitMs = readOnMsOf(limits)
    if (!meter.isOpen || waitMs === 0) {
      cut('client_gone')
      return
    }
    client = null
    upstream.resume()
    leaving = deadlines.start(waitMs, () => cut('client_gone'))
  }

  /** A message that nobody reads any more. */
  function readOn(message: Message): void {
    isAlive = true
    const read = readMessage(message)
    const canPay = read !== null && count(look.readVendorMessage?.(read.json, read.cut) ?? null)
    if (message.isOwned) releaseBuffer(message.bytes)
    if (!canPay || !meter.isOpen) cut('client_gone')
  }

  /** Sends an error event in the dialect of the client. */
  function report(error: AppError): void {
    const body = openAiProtocol.errorBody(clientError(error, charge.requestId))
    client?.send(JSON.stringify({ type: 'error', event_id: `event_${charge.requestId}`, ...body }))
  }

  function endUnpaid(): void {
    report(new AppError('insufficient_user_quota'))
    cut('out_of_quota')
  }

  /** What a message makes the vendor bill. `null`: it may not be forwarded, and the client got an error. */
  function judge({ body }: ClientMessage): BodyUse | null {
    try {
      return judgeMessage(body, charge)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      refusals += 1
      report(error)
      // The client gets errors only as fast as it reads.
      if (refusals >= refusalsMax) endByClient(policyViolation)
      else if ((client?.waitingBytes() ?? 0) > keptBytesMax) cut('client_gone')
      return null
    }
  }

  /** Judges and counts a message of the client. @returns what is forwarded; `null`: nothing is, and the client got an error */
  function accepted(message: Message, { json, cut: cutTexts }: Outline): Message | null {
    const read = look.readClientMessage?.(json, cutTexts)
    if (read === undefined) return message
    const use = judge(read)
    if (use === null) return null
    if (count(read.event)) return models.renamed(message, use) ?? message
    endUnpaid()
    return null
  }

  /** Ends the session because of what the client sent. @param code close code */
  function endByClient(code: number): void {
    client?.close(code)
    cut('client_gone')
  }

  function fromUpstream(message: Message): void {
    if (isOver) return
    if (leaving !== null) {
      readOn(message)
      return
    }
    if (client === null) return
    isAlive = true
    const read = readMessage(message)
    if (read === null) {
      cut('upstream_cut')
      return
    }
    const canPay = count(models.toClient(look.readVendorMessage?.(read.json, read.cut) ?? null))
    client.pass(message)
    if (!canPay) endUnpaid()
    else if (client.waitingBytes() > keptBytesMax) upstream.pause()
  }

  return {
    cut,
    handlers: {
      open(socket) {
        client = socket
        upstream.pipe({ message: fromUpstream, closed: () => cut('upstream_cut'), pong, drained: () => socket.resume() })
      },
      message(message) {
        if (isOver) return
        const read = readMessage(message)
        if (read === null) endByClient(tooBig)
        const forwarded = read === null ? null : accepted(message, read)
        if (forwarded !== null) upstream.pass(forwarded)
        if (forwarded !== message && message.isOwned) releaseBuffer(message.bytes)
        if (upstream.waitingBytes > keptBytesMax) client?.pause()
      },
      drain: () => upstream.resume(),
      close: () => leave(),
    },
  }
}

/** Long texts are cut out of longer messages before they are parsed. */
const wholeBytesMax = 256 * 1024
const nothingCut: CutTexts = new Map()

/** Reads a text message; vendors accept binary ones, too. @returns `null`: it has too many values to be read */
function readMessage({ bytes }: Message): Outline | null {
  return bytes.length <= wholeBytesMax ? { json: bytes.toString(), cut: nothingCut } : outlineOf(bytes)
}

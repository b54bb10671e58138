import type { ClientSocket, SocketHandlers } from '@sluice/http1/server-web-socket'
import type { Usage } from '@sluice/vendors/dialect'
import { pivotOf } from '@sluice/vendors/dialects'
import { addUsage, noUsage } from '@sluice/vendors/no-usage'
import { AppError } from '../lib/app-error.ts'
import type { EndReason } from './answer.ts'
import type { Bill } from './bill.ts'
import { estimateTokens } from './count-tokens.ts'
import { openAiError } from './error-reply.ts'
import type { UpstreamSocket } from './http1/web-socket.ts'
import type { Parts } from './relay.ts'
import type { Turn } from './routing.ts'

/** Largest message: a piece of sound may have 15 MiB (OpenAI API reference, "Realtime", as clients made from it quote it, read 2026-11-21). */
export const messageBytesMax = 16 * 1024 * 1024
/** Bytes that may wait for a slow vendor. What comes from a client cannot be held back, so beyond this the session ends. */
const waitingBytesMax = 2 * messageBytesMax
/** Bytes that may wait for a slow client; then the vendor waits too. */
const keptBytesMax = 256 * 1024
/** How often the vendor is asked for a sign of life. */
const pingMs = 30_000

/** How each end is told to both sides (RFC 6455, 7.4.1). */
const closeCodes: Readonly<Partial<Record<EndReason, number>>> = {
  shut_down: 1001,
  out_of_quota: 1008,
  upstream_cut: 1011,
  timed_out: 1011,
}

interface SessionOptions {
  readonly bill: Bill
  readonly parts: Parts
  readonly turn: Turn
  readonly upstream: UpstreamSocket
  /** Called when it is over and paid for. */
  readonly over: () => void
}

interface RealtimeSession {
  readonly handlers: SocketHandlers
  cut(reason: EndReason): void
}

/** Carries messages both ways and charges for each answer as its end tells what it used. */
export function createRealtimeSession({ bill, parts, turn, upstream, over }: SessionOptions): RealtimeSession {
  const { ledger, billing, deadlines, limits, running } = parts
  const look = pivotOf('realtime')
  let client: ClientSocket | null = null
  let usage: Usage = noUsage
  /** Words of the answer that runs now. */
  let openText = ''
  let charged = 0
  let isOver = false
  let isAlive = true
  const done = running.begin(() => cut('shut_down'))
  const total = deadlines.start(limits.totalMs, () => cut('timed_out'))
  let beat = deadlines.start(pingMs, onBeat)
  ledger.follow(bill.hold, () => {
    const { promptTokens, completionTokens } = usage
    return { amount: charged, channelId: bill.channel?.id ?? 0, promptTokens, completionTokens }
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

  /** `false`: the account cannot pay for what this has used. */
  function count(message: string): boolean {
    const event = look.event(message)
    openText += event.text
    const words = openText
    if (event.finished) openText = ''
    if (event.usage === null) return true
    const told = event.usage.isSuspect ? { ...event.usage, completionTokens: estimateTokens(words) } : event.usage
    usage = usage === noUsage ? told : addUsage(usage, told)
    const cost = billing.costOf(bill, usage)
    const more = cost - charged
    charged = cost
    return more <= 0 || ledger.extend(bill.hold, more)
  }

  function cut(reason: EndReason): void {
    if (isOver) return
    isOver = true
    deadlines.cancel(total)
    deadlines.cancel(beat)
    const code = closeCodes[reason] ?? 1000
    upstream.close(reason === 'client_gone' ? 1000 : code)
    const words = openText === '' ? 0 : estimateTokens(openText)
    const isWhole = words === 0
    turn.over({ reason })
    billing
      .settle(bill, {
        reason: isWhole && reason === 'client_gone' ? 'complete' : reason,
        usage: usage === noUsage && isWhole ? null : { ...usage, completionTokens: usage.completionTokens + words },
        text: '',
      })
      .catch(() => undefined)
      .finally(() => {
        client?.close(code)
        over()
        done()
      })
  }

  /** Says why in the form of the client's other events, and ends. */
  function refuse(): void {
    const { error } = openAiError(new AppError('insufficient_user_quota'), bill.requestId)
    client?.send(JSON.stringify({ type: 'error', event_id: `event_${bill.requestId}`, error }))
    cut('out_of_quota')
  }

  function fromUpstream(data: string | Uint8Array): void {
    if (isOver || client === null) return
    isAlive = true
    const canPay = typeof data !== 'string' || count(data)
    client.send(data)
    if (!canPay) refuse()
    else if (client.waitingBytes() > keptBytesMax) upstream.pause()
  }

  return {
    cut,
    handlers: {
      open(socket) {
        client = socket
        upstream.pipe({ message: fromUpstream, closed: () => cut('upstream_cut'), pong })
      },
      message(data) {
        if (isOver) return
        upstream.send(data)
        if (upstream.waitingBytes > waitingBytesMax) cut('upstream_cut')
      },
      drain: () => upstream.resume(),
      close: () => cut('client_gone'),
    },
  }
}

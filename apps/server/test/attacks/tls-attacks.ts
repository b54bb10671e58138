import { frameOf, opcode } from '@sluice/http1/web-socket-frames'
import { type Attack, atOnce, nothing } from '../../../../packages/http1/attack/attacks.ts'
import { flood, handshakeOf, many, type Target } from '../../../../packages/http1/attack/client.ts'
import { accepted } from '../realtime-vendor.ts'
import { drip } from './drip.ts'
import type { Script, ScriptedVendor } from './scripted-vendor.ts'
import { chatCall, played, type Scripted, streamMib } from './vendor-attacks.ts'
import { event, flooding, pour, streamHead } from './vendor-scripts.ts'

/** The models that only the vendor over TLS has, and only the one that drips its packets. */
export const tlsModel = 'gpt-4o'
export const drippingModel = 'gpt-4.1'

const connectionCounts = [1, 8]

/** Of each stream: as without TLS, and as much for the bytes before they are decrypted. */
const tlsStreamMib = 2 * streamMib

/** Attacks of a vendor over TLS on the gateway: what a record or a packet costs, whatever it carries. */
export function tlsAttacks(vendor: ScriptedVendor): readonly Attack[] {
  return played(vendor, [...drips(), ...floods(), ...sessions()])
}

const limitsOf = (connections: number, mibEach: number): Required<Attack>['limits'] => ({
  memoryMib: 64 + (connections - 1) * mibEach,
  delayMs: 250,
})

/** Records of one byte; and packets of one byte, so that every record arrives in pieces. */
function drips(): readonly Scripted[] {
  const bytes = Buffer.from(streamHead + event('a').repeat(800))
  const scripts: Readonly<Record<string, readonly [string, Script]>> = {
    'an answer in records of one byte': [tlsModel, (socket) => drip(socket, bytes)],
    'a handshake and an answer in packets of one byte': [drippingModel, (socket) => void socket.write(bytes)],
  }
  return Object.entries(scripts).flatMap(([name, [model, script]]) =>
    connectionCounts.map((connections) => ({
      ...atOnce(`vendor over TLS: ${name} on ${connections} connections`, connections, (target) =>
        flood(target, { head: chatCall(target, true, model), piece: nothing, times: 0, reads: true, stayMs: 4_000 }),
      ),
      script,
      limits: limitsOf(connections, streamMib),
    })),
  )
}

/** As fast as the gateway reads. */
function floods(): readonly Scripted[] {
  const scripts = {
    'events of one letter': flooding(streamHead, event('a')),
    'comments before the first event': flooding(streamHead, ': x\n\n'),
  }
  return Object.entries(scripts).flatMap(([name, script]) =>
    [true, false].flatMap((reads) =>
      connectionCounts.map((connections) => ({
        ...atOnce(
          `vendor over TLS: ${name} on ${connections} connections whose clients ${reads ? 'read' : 'do not read'}`,
          connections,
          (target) => flood(target, { head: chatCall(target, true, tlsModel), piece: nothing, times: 0, reads, stayMs: 2_500 }),
        ),
        script,
        limits: limitsOf(connections, tlsStreamMib),
      })),
    ),
  )
}

/** Small messages of a session whose client does not read. */
function sessions(): readonly Scripted[] {
  const { piece } = many(frameOf(opcode.text, '1'))
  const script: Script = async (socket, head) => {
    socket.write(accepted(/sec-websocket-key: (\S+)/i.exec(head)?.[1] ?? ''))
    await pour(socket, piece)
  }
  const call = ({ socket, ...rest }: Target): Target => ({ ...rest, socket: { ...socket, path: `/v1/realtime?model=${tlsModel}` } })
  return connectionCounts.map((connections) => ({
    ...atOnce(`vendor over TLS: session: messages of one byte on ${connections} connections`, connections, (target) =>
      flood(target, { head: handshakeOf(call(target)), waitsForResponse: true, piece: nothing, times: 0, reads: false, stayMs: 2_500 }),
    ),
    script,
    limits: limitsOf(connections, 2 * streamMib),
  }))
}

import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { frameOf, opcode } from '@sluice/http1/web-socket-frames'
import { type Attack, atOnce, nothing } from '../../../../packages/http1/attack/attacks.ts'
import { type Call, flood, handshakeOf, headOf, many, type Target, textFrame } from '../../../../packages/http1/attack/client.ts'
import { accepted } from '../realtime-vendor.ts'
import { drip } from './drip.ts'
import { responseWell, type Script, type ScriptedVendor, wholeResponse } from './scripted-vendor.ts'
import { event, flooding, pour, streamHead } from './vendor-scripts.ts'

const mebi = 1024 * 1024

/** How a client reads a response. */
interface Reader {
  readonly reads: boolean
  readonly connections: number
}

interface VendorAttack {
  readonly script: Script
  /** The client asks for no stream. */
  readonly isWhole?: boolean
  /** The response is packed, although no request asks for it: each connection has a decoder, whose window may have 16 MiB (Brotli). */
  readonly hasDecoder?: boolean
  /** The response is one event without an end, which may be as long as an image. */
  readonly isOneEvent?: boolean
  readonly readers: Readonly<Record<string, Reader>>
}

const alone: Readonly<Record<string, Reader>> = {
  'whose client reads': { reads: true, connections: 1 },
  'whose client does not read': { reads: false, connections: 1 },
  'on 8 connections whose clients do not read': { reads: false, connections: 8 },
}
const read: Readonly<Record<string, Reader>> = {
  'on 1 connection': { reads: true, connections: 1 },
  'on 8 connections': { reads: true, connections: 8 },
}

/** An endless response of this content type. */
function endless(type: string, start: string, piece: string): Script {
  return flooding(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n\r\n${start}`, piece)
}

function packedResponse(coding: string, encode: (bytes: Uint8Array) => Uint8Array, text: string): Script {
  const bytes = encode(Buffer.from(text))
  return (socket) => {
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: ${coding}\r\ncontent-length: ${bytes.length}\r\n\r\n`,
    )
    socket.write(bytes)
  }
}

const brotli = (bytes: Uint8Array): Uint8Array =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 } })
const zstd = (bytes: Uint8Array): Uint8Array => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_windowLog]: 26 } })

/** Breaks responses off, each one a byte later than the previous one. */
function cutResponses(): Script {
  const whole = Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${[event('a'), 'data: [DONE]\n\n']
      .map((text) => `${text.length.toString(16)}\r\n${text}\r\n`)
      .join('')}0\r\n\r\n`,
  )
  let count = 0
  return (socket) => {
    count += 1
    socket.end(whole.subarray(0, count % (whole.length + 1)))
  }
}

const responses: Readonly<Record<string, VendorAttack>> = {
  'comments before the first event': { script: flooding(streamHead, ': x\n\n'), readers: alone },
  'comments behind the first event': { script: flooding(streamHead + event('a'), ': x\n\n'), readers: alone },
  'lines that mean nothing': { script: flooding(streamHead + event('a'), 'x\n\n'), readers: alone },
  'empty lines': { script: flooding(streamHead + event('a'), '\n'), readers: alone },
  'events of one letter': { script: flooding(streamHead, event('a')), readers: alone },
  'events without content': { script: flooding(streamHead, event('')), readers: alone },
  'lines without an end': { script: flooding(`${streamHead}data: `, 'x'), readers: alone, isOneEvent: true },
  'an event of very many lines': { script: flooding(streamHead, 'data: x\n'), readers: alone, isOneEvent: true },
  'events in packets of one byte': {
    script: async (socket) => {
      socket.write(streamHead)
      await drip(socket, Buffer.from(event('a').repeat(800)))
    },
    readers: read,
  },
  'a head without an end': { script: flooding('HTTP/1.1 200 OK\r\nx-a: ', 'a'), readers: read },
  'a head in packets of one byte': {
    script: (socket) => drip(socket, Buffer.from(`HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(80_000)}`)),
    readers: read,
  },
  'answers 100 without an end': { script: flooding('', 'HTTP/1.1 100 Continue\r\n\r\n'), readers: read },
  'a whole answer without an end': { script: endless('application/json', '{"a":"', 'x'), readers: read, isWhole: true },
  'a whole answer of empty objects without an end': { script: endless('application/json', '[', '{},'), readers: read, isWhole: true },
  'a whole answer of spaces': { script: endless('application/json', '', ' '), readers: read, isWhole: true },
  'a whole answer of 60 MiB in one text': {
    script: (socket) =>
      void socket.write(wholeResponse(`{"choices":[{"index":0,"message":{"role":"assistant","content":"${'x'.repeat(60 * mebi)}"}}]}`)),
    readers: read,
    isWhole: true,
  },
  'a whole answer of 60 MiB in one text with its usage': {
    script: (socket) =>
      void socket.write(
        wholeResponse(
          `{"choices":[{"index":0,"message":{"role":"assistant","content":"${'x'.repeat(60 * mebi)}"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`,
        ),
      ),
    readers: read,
    isWhole: true,
  },
  'a whole answer of five million numbers': {
    script: (socket) =>
      void socket.write(
        wholeResponse(
          `{"data":[{"embedding":[${'0.12345678,'.repeat(5_000_000)}1]}],"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`,
        ),
      ),
    readers: read,
    isWhole: true,
  },
  'a whole answer of 30 MiB of empty objects': {
    script: (socket) => void socket.write(wholeResponse(`{"choices":[${'{},'.repeat(10 * mebi)}{}]}`)),
    readers: read,
    isWhole: true,
  },
  'a whole answer in chunks of one byte': {
    script: flooding('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n \r\n'),
    readers: read,
  },
  'a bomb in gzip': { script: packedResponse('gzip', gzipSync, '0'.repeat(200 * mebi)), readers: read, hasDecoder: true },
  'a bomb in br': { script: packedResponse('br', brotli, '0'.repeat(200 * mebi)), readers: read, hasDecoder: true },
  'a bomb in zstd': { script: packedResponse('zstd', zstd, '0'.repeat(200 * mebi)), readers: read, hasDecoder: true },
  'an error without an end': { script: flooding('HTTP/1.1 500 No\r\ncontent-type: application/json\r\n\r\n', 'x'), readers: read },
}

/** A chat of a model, and so of the vendor that has it. */
export function chatCall(target: Target, isStream: boolean, model = 'gpt-4o-mini'): string {
  const body = `{"model":"${model}","stream":${isStream},"messages":[{"role":"user","content":"hi"}]}`
  return headOf('POST', target.bodies['a chat'] ?? noCall, [`content-length: ${body.length}`]) + body
}

const noCall: Call = { path: '/', fields: [] }

/** Attacks of a vendor on the gateway. */
export function vendorAttacks(vendor: ScriptedVendor): readonly Attack[] {
  const all = [...Object.entries(responses).flatMap(([name, attack]) => byReaders(name, attack)), ...sessions(), cutOff()]
  return played(vendor, all)
}

/** Attacks that let the vendor play their scripts while they run. */
export function played(vendor: Pick<ScriptedVendor, 'play'>, attacks: readonly Scripted[]): readonly Attack[] {
  return attacks.map(({ script, run, ...attack }) => ({
    ...attack,
    async run(target) {
      vendor.play(script)
      await run(target).finally(() => vendor.play(responseWell))
    },
  }))
}

export interface Scripted extends Attack {
  readonly script: Script
}

/** Of each stream: one read of 512 KiB, and as many bytes of events that wait for the client. */
export const streamMib = 1

/** A whole response is kept as it came: the largest one, and of many, what the pending ones and the nearly complete one may take. */
function limitsOf({ isWhole, hasDecoder, isOneEvent }: VendorAttack, connections: number): Required<Attack>['limits'] {
  const delayMs = 250
  if (isWhole === true || hasDecoder === true) return { memoryMib: connections === 1 ? 64 + 64 : 2 * 64 + 64, delayMs }
  const events = isOneEvent === true && connections > 1 ? 64 : 0
  return { memoryMib: 64 + events + (connections - 1) * streamMib, delayMs }
}

/** Of each session: as of a stream, in both directions. */
const sessionLimits = (connections: number): Required<Attack>['limits'] => ({
  memoryMib: 64 + (connections - 1) * 2 * streamMib,
  delayMs: 250,
})

/** A million short messages pass until the buffers of both sockets are full, and each is parsed: what that leaves is collected later. */
const shortLimits = (connections: number): Required<Attack>['limits'] => ({ memoryMib: 64 + (connections - 1) * 16, delayMs: 250 })

function byReaders(name: string, attack: VendorAttack): readonly Scripted[] {
  const { script, readers, isWhole = false } = attack
  return Object.entries(readers).map(([how, { reads, connections }]) => ({
    ...atOnce(`vendor: ${name} ${how}`, connections, (target) =>
      flood(target, { head: chatCall(target, !isWhole), piece: nothing, times: 0, reads, stayMs: 2_500 }),
    ),
    script,
    limits: limitsOf(attack, connections),
  }))
}

function cutOff(): Scripted {
  return {
    name: 'vendor: answers that break off at each of their bytes',
    script: cutResponses(),
    async run(target) {
      for (let count = 0; count < 60; count += 1)
        await Promise.all(
          Array.from({ length: 8 }, () =>
            flood(target, { head: chatCall(target, true), piece: nothing, times: 0, reads: true, stayMs: 50 }),
          ),
        )
    },
  }
}

/** Frames of a vendor, which are not masked. */
const vendorFrames: Readonly<Record<string, Buffer>> = {
  'messages of one byte': frameOf(opcode.text, '1'),
  'messages of 15 MiB': frameOf(opcode.text, Buffer.alloc(15 * mebi, '1')),
  pings: frameOf(opcode.ping, Buffer.alloc(125)),
  'parts of one byte between pings': Buffer.concat([part('1'), frameOf(opcode.ping, Buffer.alloc(125))]),
  'empty parts': part(''),
}

function part(text: string): Buffer {
  const bytes = frameOf(opcode.continuation, text)
  bytes[0] = opcode.continuation
  return bytes
}

function sessions(): readonly Scripted[] {
  const floods = Object.entries(vendorFrames).flatMap(([name, bytes]) => {
    const { piece } = many(bytes)
    const first = frameOf(opcode.text, '1')
    first[0] = opcode.text
    const script: Script = async (socket, head) => {
      socket.write(accepted(/sec-websocket-key: (\S+)/i.exec(head)?.[1] ?? ''))
      if (name.includes('parts')) socket.write(first)
      await pour(socket, piece)
    }
    return Object.entries(alone).map(([how, { reads, connections }]) => ({
      ...atOnce(`vendor: session: ${name} ${how}`, connections, (target) =>
        flood(target, { head: handshakeOf(target), waitsForResponse: true, piece: nothing, times: 0, reads, stayMs: 2_500 }),
      ),
      script,
      limits: sessionLimits(connections),
    }))
  })
  const deaf: Script = (socket, head) => {
    socket.write(accepted(/sec-websocket-key: (\S+)/i.exec(head)?.[1] ?? ''))
    socket.pause()
  }
  // What is refused never reaches the vendor.
  const frames = { 'short messages': textFrame('{}'), 'messages of 15 MiB': textFrame(`{"text":"${'1'.repeat(15 * mebi)}"}`) }
  const held = Object.entries(frames).flatMap(([name, bytes]) =>
    [1, 8].map((connections) => ({
      ...atOnce(`vendor: session: does not read ${name} on ${connections} connections`, connections, (target) => {
        const { piece } = many(bytes)
        return flood(target, {
          head: handshakeOf(target),
          waitsForResponse: true,
          piece,
          times: Math.ceil((60 * mebi) / piece.length),
          reads: true,
        })
      }),
      script: deaf,
      limits: bytes.length < mebi ? shortLimits(connections) : sessionLimits(connections),
    })),
  )
  return [...floods, ...held]
}

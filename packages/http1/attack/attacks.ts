import { type Call, flood, frame, handshakeOf, headOf, many, opcode, resetAfter, type Target, textFrame } from './client.ts'
import { connectionAttacks } from './connection-attacks.ts'

/** A client that tries to exhaust the server. */
export interface Attack {
  readonly name: string
  /** What it may cost, if that differs from the limit of one connection. */
  readonly limits?: { readonly memoryMib: number; readonly delayMs: number }
  run(target: Target): Promise<void>
}

const mebi = 1024 * 1024
const oneByteChunk = '1\r\nx\r\n'
const chunkedFields = ['transfer-encoding: chunked']

/** How often a piece must be sent for that many bytes. */
const timesFor = (bytes: number, piece: Uint8Array): number => Math.ceil(bytes / piece.length)

function requestsAhead(
  name: string,
  path: (target: Target) => string,
  { count, reads }: { readonly count: number; readonly reads: boolean },
): Attack {
  return {
    name,
    async run(target) {
      const { piece, count: each } = many(headOf('GET', { path: path(target), fields: [] }))
      await flood(target, { head: '', piece, times: Math.ceil(count / each), reads })
    },
  }
}

function oneByteChunks(name: string, call: Call, before = ''): Attack {
  return {
    name: `a body in chunks of one byte: ${name}`,
    async run(target) {
      const { piece } = many(oneByteChunk)
      const first = before === '' ? '' : `${before.length.toString(16)}\r\n${before}\r\n`
      await flood(target, { head: headOf('POST', call, chunkedFields) + first, piece, times: timesFor(60 * mebi, piece), reads: true })
    },
  }
}

function drippedBody(name: string, call: Call): Attack {
  return {
    name: `a body in packets of one byte: ${name}`,
    async run(target) {
      const head = headOf('POST', call, chunkedFields)
      await flood(target, { head, piece: Buffer.from(oneByteChunk), times: 200_000, reads: true, isDripped: true })
    },
  }
}

/** Attacks on several limits at the same time. */
function together(bodies: Target['bodies']): readonly Attack[] {
  const [call = { path: '/', fields: [] }] = Object.values(bodies)
  const fields = 'a:b\r\n'.repeat(10_000)
  const { piece } = many(oneByteChunk, 16 * 1024)
  const pings = many(Buffer.concat([frame(opcode.continuation, 1, false), frame(opcode.ping, 125)])).piece
  return [
    {
      name: 'requests ahead with 10,000 fields each, whose answers nobody reads',
      run: (target) =>
        flood(target, {
          head: '',
          piece: Buffer.from(`GET ${target.shortPath} HTTP/1.1\r\nhost: x\r\n${fields}\r\n`),
          times: 400,
          reads: false,
        }),
    },
    atOnce('chunks of one byte on 200 connections', 200, (target) =>
      flood(target, { head: headOf('POST', call, chunkedFields), piece, times: 8, reads: true }),
    ),
    atOnce('bodies that are announced, waited for and never sent, on 500 connections', 500, (target) =>
      flood(target, {
        head: headOf('POST', call, ['content-length: 1000', 'expect: 100-continue']),
        piece: nothing,
        times: 0,
        reads: false,
      }),
    ),
    {
      name: 'messages: parts of a message between pings whose pongs nobody reads',
      run: (target) =>
        flood(target, {
          head: Buffer.concat([Buffer.from(handshakeOf(target)), frame(opcode.text, 1, false)]),
          piece: pings,
          times: timesFor(20 * mebi, pings),
          reads: false,
          waitsForResponse: true,
        }),
    },
  ]
}

export const nothing = new Uint8Array()

/** Nine tenths of a body of 32 MiB, and then nothing. Calls with a smaller limit refuse it at once. */
function unfinishedBodies(name: string, call: Call): Attack {
  const piece = Buffer.alloc(mebi, '1')
  const head = headOf('POST', call, [`content-length: ${32 * mebi}`])
  const attack = atOnce(`nine tenths of a body on 200 connections: ${name}`, 200, (target) =>
    flood(target, { head, piece, times: 29, reads: true }),
  )
  // For 5.8 GB sent: the budget that all bodies share (128 MiB), the largest body, and of each connection one read of 512 KiB and the copy
  // that is parsed.
  return { ...attack, limits: { memoryMib: 450, delayMs: 250 } }
}

function frames(name: string, piece: Uint8Array, { bytes, reads }: { readonly bytes: number; readonly reads: boolean }): Attack {
  return {
    name: `messages: ${name}`,
    async run(target) {
      const all = many(piece).piece
      await flood(target, { head: handshakeOf(target), waitsForResponse: true, reads, piece: all, times: timesFor(bytes, all) })
    },
  }
}

/** Runs an attack on many connections at once. */
export function atOnce(name: string, connections: number, one: (target: Target) => Promise<void>): Attack {
  return { name, run: async (target) => void (await Promise.all(Array.from({ length: connections }, () => one(target)))) }
}

/** A message of very many frames: a first one, and continuations up to the length limit or beyond it. */
function parts(name: string, length: number, bytes: number): Attack {
  return {
    name: `messages: ${name}`,
    async run(target) {
      const head = Buffer.concat([Buffer.from(handshakeOf(target)), frame(opcode.text, 1, false)])
      const { piece } = many(frame(opcode.continuation, length, false))
      await flood(target, { head, piece, times: timesFor(bytes, piece), reads: true, waitsForResponse: true })
    },
  }
}

/** Every attack that applies to a server. */
export function attacksOn({ bodies }: Target): readonly Attack[] {
  return [
    requestsAhead('requests ahead whose long answers nobody reads', ({ longPath }) => longPath, { count: 20_000, reads: false }),
    requestsAhead('requests ahead whose short answers are read', ({ shortPath }) => shortPath, { count: 60_000, reads: true }),
    ...Object.entries(bodies).map(([name, call]) =>
      oneByteChunks(name, call, call.fields.some((field) => field.includes('boundary=')) ? formStart : ''),
    ),
    ...Object.entries(bodies).map(([name, call]) => drippedBody(name, call)),
    ...Object.entries(bodies).map(([name, call]) => unfinishedBodies(name, call)),
    ...together(bodies),
    ...connectionAttacks,
    {
      name: 'empty lines in front of a request',
      run: (target) => flood(target, { head: '', piece: many('\r\n').piece, times: 200, reads: true }),
    },
    {
      name: 'a head in packets of one byte',
      run: (target) =>
        flood(target, {
          head: 'GET / HTTP/1.1\r\nhost: x\r\nx-a: ',
          piece: Buffer.from('a'),
          times: 64 * 1024,
          reads: true,
          isDripped: true,
        }),
    },
    {
      name: 'a request and a reset, again and again',
      async run(target) {
        for (let count = 0; count < 3_000; count += 1) await resetAfter(target, headOf('GET', { path: target.shortPath, fields: [] }))
      },
    },
    frames('pings whose pongs nobody reads', frame(opcode.ping, 0), { bytes: 18 * mebi, reads: false }),
    frames('long pings whose pongs are read', frame(opcode.ping, 125), { bytes: 60 * mebi, reads: true }),
    frames('messages of one byte', frame(opcode.text, 1), { bytes: 20 * mebi, reads: true }),
    frames('messages of 15 MiB', frame(opcode.binary, 15 * mebi), { bytes: 300 * mebi, reads: true }),
    frames('texts of 15 MiB', frame(opcode.text, 15 * mebi), { bytes: 300 * mebi, reads: true }),
    {
      ...atOnce('messages: binary ones of 15 MiB on 16 connections', 16, (target) =>
        flood(target, { head: handshakeOf(target), waitsForResponse: true, reads: true, piece: frame(opcode.binary, 15 * mebi), times: 3 }),
      ),
      limits: sixteenLimits,
    },
    {
      ...atOnce('messages: nine tenths of 15 MiB on 16 connections', 16, (target) =>
        flood(target, {
          head: handshakeOf(target),
          waitsForResponse: true,
          reads: true,
          piece: frame(opcode.text, 15 * mebi).subarray(0, 13.5 * mebi),
          times: 1,
        }),
      ),
      limits: sixteenLimits,
    },
    frames('texts of escaped quotes', textFrame(`{"type":"x","text":"${'\\"'.repeat(7 * mebi)}"}`), { bytes: 90 * mebi, reads: true }),
    frames('texts of very many values', textFrame(`{"type":"x","list":[${'{},'.repeat(5 * mebi - 20)}{}]}`), {
      bytes: 30 * mebi,
      reads: true,
    }),
    parts('a message in parts of one byte', 1, 7 * 12 * mebi),
    parts('a message in empty parts', 0, 60 * mebi),
  ]
}

/** 64 MiB, and one read of 512 KiB for each of the connections. */
const sixteenLimits = { memoryMib: 64 + 16 / 2, delayMs: 250 }

/** The start of a form with a file, up to the bytes of the file. */
export const formBoundary = 'attack'
const formStart = `--${formBoundary}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`

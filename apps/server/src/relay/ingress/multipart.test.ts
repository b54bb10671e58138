import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Garbage } from '@sluice/http1/garbage'
import { receivedFrom } from '@sluice/http1/received-from'
import fc from 'fast-check'
import { AppError } from '../../lib/app-error.ts'
import { systemClock } from '../../lib/clock.ts'
import { createDeadlines } from '../../lib/deadlines.ts'
import { noFailpoints } from '../../lib/failpoints.ts'
import { createMutex } from '../../lib/mutex.ts'
import { createSpool } from '../../lib/spool.ts'
import { createUnpacker } from '../../lib/unpack.ts'
import type { Multipart } from '../model/form.ts'
import { readMultipart } from './multipart.ts'

/** No body is late, however slow the machine is. */
const limits = { bodyBytesMax: 8 * 1024 * 1024, bodyMs: 600_000 }
const deps = {
  deadlines: createDeadlines(systemClock),
  openSpool: () => createSpool({ reached: noFailpoints, folders: [tmpdir()] }),
  spooling: createMutex(2),
  unpacker: createUnpacker(() => createSpool({ reached: noFailpoints, folders: [tmpdir()] })),
  garbage: new Garbage(1024 * 1024),
}

// A temporary folder of this file, because other tests write to the common one at the same time.
const commonFolder = process.env['TMPDIR']
const folder = mkdtempSync(join(tmpdir(), 'sluice-multipart-'))
beforeAll(() => {
  process.env['TMPDIR'] = folder
})
afterAll(() => {
  if (commonFolder === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = commonFolder
  rmSync(folder, { recursive: true })
})

const opened: Multipart[] = []
afterEach(async () => {
  for (const form of opened.splice(0)) await form.close()
})

function requestOf(body: Uint8Array | string, { cut = 0, headers = {} }: { cut?: number; headers?: Record<string, string> } = {}): Request {
  const bytes = Buffer.from(body)
  const size = cut === 0 ? bytes.length : cut
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
  const stream = new ReadableStream({
    pull(controller) {
      const next = chunks.shift()
      if (next === undefined) controller.close()
      else controller.enqueue(next)
    },
  })
  const all = { 'content-type': 'multipart/form-data; boundary=edge', ...headers }
  return new Request('http://gateway/v1/audio/transcriptions', { method: 'POST', body: stream, headers: all })
}

async function read(request: Request): Promise<Multipart> {
  const form = await readMultipart(receivedFrom(request), limits, deps)
  opened.push(form)
  return form
}

interface ParsedForm {
  get(name: string): unknown
}

/** The form as a vendor's parser reads it. */
async function written(form: Multipart, model: string): Promise<ParsedForm> {
  const { contentType, byteLength, chunks } = form.write(model)
  const bytes = Buffer.concat(await Array.fromAsync(chunks()))
  expect(bytes.length).toBe(byteLength)
  expect(Buffer.concat(await Array.fromAsync(chunks())).equals(bytes)).toBe(true)
  return await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
}

function fileOf(form: ParsedForm): Blob {
  const file = form.get('file')
  if (!(file instanceof Blob)) throw new Error('the form has no file')
  return file
}

const codeOf = (request: Request): Promise<string> =>
  read(request).then(
    () => 'read',
    (error) => (error instanceof AppError ? error.code : String(error)),
  )

const field = (name: string, value: string): string => `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const file = (disposition: string, content: string): string =>
  `--edge\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: audio/wav\r\n\r\n${content}\r\n`
const form = (...parts: readonly string[]): string => `${parts.join('')}--edge--\r\n`

const near = '\r\n--edg\r\n-\r\n--ed\r--\n\0\r\n'
const ordinary = form(field('model', 'whisper-1'), file('name="file"; filename="a.wav"', near), field('language', 'dé'), field('empty', ''))

test('A form is read and written the same however its bytes are split', async () => {
  for (let cut = 1; cut <= 64; cut += 1) {
    const got = await read(requestOf(ordinary, { cut }))
    expect([...got.fields]).toEqual([
      ['model', 'whisper-1'],
      ['language', 'dé'],
      ['empty', ''],
    ])
    expect(got.parts.map(({ name, fileName, byteLength }) => [name, fileName, byteLength])).toEqual([
      ['model', null, 9],
      ['file', 'a.wav', near.length],
      ['language', null, 3],
      ['empty', null, 0],
    ])
    const seen = await written(got, 'upstream-model')
    expect(seen.get('model')).toBe('upstream-model')
    expect(seen.get('language')).toBe('dé')
    expect(await fileOf(seen).text()).toBe(near)
  }
})

test('A form without a model is written with one', async () => {
  const seen = await written(await read(requestOf(form(file('name="file"; filename="a.wav"', 'x')))), 'whisper-1')
  expect(seen.get('model')).toBe('whisper-1')
  expect(seen.get('file')).toBeInstanceOf(Blob)
})

test('A large file goes through the disk, is complete for each attempt, and leaves no file', async () => {
  const bytes = new Uint8Array(3 * 1024 * 1024).map((_, index) => (index * 7919) >> 3)
  const body = Buffer.concat([
    Buffer.from(`${field('model', 'm')}--edge\r\nContent-Disposition: form-data; name="file"; filename="big"\r\n\r\n`),
    bytes,
    Buffer.from('\r\n--edge--'),
  ])
  const got = await read(requestOf(body, { cut: 65_537 }))
  const before = process.memoryUsage.rss()
  for (const model of ['first', 'second']) {
    const seen = await written(got, model)
    expect(seen.get('model')).toBe(model)
    const fileBytes = new Uint8Array(await fileOf(seen).arrayBuffer())
    expect(Buffer.from(fileBytes).equals(bytes)).toBe(true)
  }
  expect(process.memoryUsage.rss() - before).toBeLessThan(128 * 1024 * 1024)
  expect(await got.parts[1]?.read(0, 4)).toEqual(Buffer.from(bytes.subarray(0, 4)))
  expect(tmpdir()).toBe(folder)
  expect(readdirSync(folder)).toEqual([])
})

test('A compressed form is decompressed', async () => {
  const got = await read(requestOf(gzipSync(ordinary), { cut: 7, headers: { 'content-encoding': 'gzip' } }))
  expect(got.fields.get('model')).toBe('whisper-1')
})

for (const [what, code, body] of [
  ['has no end', 'multipart_invalid', field('model', 'm')],
  ['ends in a head', 'multipart_invalid', '--edge\r\nContent-Disp'],
  ['is empty', 'multipart_invalid', ''],
  ['names its model twice', 'multipart_invalid', form(field('model', 'cheap'), field('model', 'dear'))],
  ['gives its model as a file', 'multipart_invalid', form(file('name="model"; filename="x"', 'm'))],
  ['gives a part two names', 'multipart_invalid', form(file('name="file"; name="model"', 'm'))],
  ['has a second line in a name', 'multipart_invalid', form(field('a\r\n b', 'm'))],
  ['has a control character in the name of a file', 'multipart_invalid', form(file('name="file"; filename="a\u0007.wav"', 'm'))],
  [
    'hides a header in an encoded file name',
    'multipart_invalid',
    form(file('name="file"; filename*=UTF-8\'\'a%0D%0AContent-Disposition%3A x', 'm')),
  ],
  ['folds a header', 'multipart_invalid', '--edge\r\nContent-Disposition: form-data;\r\n name="model"\r\n\r\nm\r\n--edge--'],
  [
    'says a header twice',
    'multipart_invalid',
    '--edge\r\nContent-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--edge--',
  ],
  [
    'has a part in base64',
    'multipart_invalid',
    '--edge\r\nContent-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\nbQ==\r\n--edge--',
  ],
  ['has a head without an end', 'multipart_invalid', `--edge\r\nContent-Disposition: form-data; name="${'a'.repeat(9_000)}`],
  ['goes on behind a boundary', 'multipart_invalid', '--edgex\r\n\r\n'],
  [
    'has a text that is none',
    'invalid_text',
    Buffer.concat([Buffer.from(field('a', '').slice(0, -2)), Buffer.from([0xff]), Buffer.from('\r\n--edge--')]),
  ],
  ['has a huge field', 'body_too_large', form(field('prompt', 'x'.repeat(1024 * 1024 + 1)))],
  ['has a thousand parts', 'multipart_invalid', form(...Array.from({ length: 1_000 }, (_, index) => field(`f${index}`, '')))],
  ['is too large', 'body_too_large', form(file('name="file"; filename="a"', 'x'.repeat(limits.bodyBytesMax)))],
] as const) {
  test(`A form that ${what} is refused`, async () => {
    for (const cut of [0, 3_001]) expect(await codeOf(requestOf(body, { cut }))).toBe(code)
  })
}

test('A hostile form is refused in time that is linear in its length', async () => {
  const header = (text: string) => `--edge\r\nContent-Disposition: form-data; name="a"\r\nX:${text}\0\r\n\r\nm\r\n--edge--`
  const blanks = [header('\t'.repeat(8_000)), header(' '.repeat(8_000)), header('a \t'.repeat(2_600))]
  const dispositions = ['"\\', ';a=', '; \t', ';a="\\"'].map((text) => form(field(`a"${text.repeat(1_900)}`, 'm')))
  const startMs = performance.now()
  for (const body of [...blanks, ...dispositions]) expect(await codeOf(requestOf(body))).toBe('multipart_invalid')
  for (const text of [';', '; boundary="', '; boundary=a b', ' ']) {
    const type = `multipart/form-data${text.repeat(5_000)}x`
    expect(await codeOf(requestOf(ordinary, { headers: { 'content-type': type } }))).toBe('multipart_invalid')
  }
  // They take a few milliseconds; with steps that grow as the square or the cube of the length, minutes.
  expect(performance.now() - startMs).toBeLessThan(2_000)
})

test('A body that is not a form is refused by its type', async () => {
  expect(await codeOf(requestOf('{}', { headers: { 'content-type': 'application/json' } }))).toBe('unsupported_media_type')
  expect(await codeOf(requestOf(ordinary, { headers: { 'content-type': 'multipart/form-data' } }))).toBe('multipart_invalid')
  expect(await codeOf(requestOf(ordinary, { headers: { 'content-type': 'multipart/form-data; boundary="edge"' } }))).toBe('read')
})

test('Quotes and paths in the name of a file are not sent in headers to the vendor', async () => {
  const got = await read(requestOf(form(file('name="file"; filename="..\\\\up/a\\"; name=\\"model.wav"', 'x'))))
  expect(got.parts[0]?.fileName).toBe('a"; name="model.wav')
  const text = Buffer.concat(await Array.fromAsync(got.write('m').chunks())).toString()
  expect(text).toContain('name="file"; filename="a%22; name=%22model.wav"\r\n')
})

test('A corrupt form is read or refused with a message, the same however its bytes are split', async () => {
  const whole = Buffer.from(ordinary)
  const hostile = fc
    .array(
      fc.record({ at: fc.nat({ max: whole.length }), remove: fc.nat({ max: 6 }), insert: fc.string({ unit: 'binary', maxLength: 6 }) }),
      {
        maxLength: 3,
      },
    )
    .map((edits) =>
      edits.reduce(
        (body, { at, remove, insert }) => Buffer.concat([body.subarray(0, at), Buffer.from(insert), body.subarray(at + remove)]),
        whole,
      ),
    )
  const outcome = async (body: Uint8Array, cut: number): Promise<unknown> => {
    const code = await codeOf(requestOf(body, { cut }))
    const fields = code === 'read' ? [...(opened.at(-1)?.fields ?? [])] : []
    return { code, fields }
  }
  await fc.assert(
    fc.asyncProperty(hostile, fc.integer({ min: 1, max: 40 }), async (body, cut) => {
      const seen = await outcome(body, 0)
      expect(seen).toMatchObject({ code: expect.stringMatching(/^(?:read|multipart_invalid|invalid_text|unsupported_media_type)$/) })
      expect(await outcome(body, cut)).toEqual(seen)
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 400) },
  )
})

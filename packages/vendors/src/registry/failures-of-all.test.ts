import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { meaningOf } from '../../test/failures.ts'
import { taskContext, taskParamsOf } from '../../test/tasks.ts'
import { classified, readFailureOf } from '../core/failure-rules.ts'
import { parseJson } from '../core/is-object.ts'
import type { TaskKind } from '../core/task.ts'
import { taskKinds } from '../core/task.ts'
import type { Vendor } from '../core/vendor.ts'
import { dialectOf } from './dialect-of.ts'
import { vendors } from './list.ts'
import { makesTasks, taskDialectOf } from './task-dialect-of.ts'

/** What the plainest errors mean: JSON that says no more than the status, and OpenAI's words for a prompt that is too long. */
const plain = {
  400: 'bad_request',
  401: 'bad_key',
  402: 'no_quota',
  403: 'forbidden',
  404: 'model_not_found',
  413: 'bad_request',
  422: 'bad_request',
  429: 'rate_limited',
  500: 'unavailable',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
  529: 'unavailable',
} as const

/** By type, where a vendor means something else; the reason is in its record. */
const others: Readonly<Record<number, Readonly<Record<number, string>>>> = {
  23: { 402: 'forbidden' },
  37: { 413: 'context_length_exceeded' },
  38: { 403: 'bad_key', 529: 'rate_limited' },
  39: { 403: 'context_length_exceeded', 413: 'context_length_exceeded' },
}

const source = join(import.meta.dir, '..')
/** Every text and number of the tests and fixtures that have errors of vendors. */
const knownTexts: readonly string[] = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?:test\.ts|failures\.json)$/.test(file))
  .map((file) => readFileSync(join(source, file), 'utf8'))
  .filter((text) => /withStatus|inAnswer|meaningOf|readFailureOf|"status":/.test(text))
  .flatMap((text) => [...text.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|\b(\d{1,9})\b|\b(\w+):/g)])
  .map(([, single, double, number, name]) => single ?? double ?? number ?? name ?? '')
/** With the groups of codes: a row `A` also stands for codes `A.B`. */
const names = new Set(knownTexts.flatMap((text) => [text, text.replace(/\..*$/, '')]))
const isTold = (key: string): boolean => names.has(key)

const video = {
  file: { name: 'video', fileName: 'video.mp4', contentType: 'video/mp4', bytes: new Uint8Array(1) },
  seconds: 5,
  width: 1280,
  height: 720,
}

type Reader = (status: number, body: string) => string

/** How a vendor's errors are read: of its chats, and of orders of each kind of task. */
function readersOf(vendor: Vendor): readonly (readonly [name: string, read: Reader])[] {
  const chat = dialectOf(vendor, 'chat', 'm')
  const ofChats: Reader = (status, body) => (chat === null ? '' : meaningOf(readFailureOf(chat, vendor.failures, { status, body })))
  const ofTasks =
    chat !== null ? [] : vendor.models.names.flatMap((model) => taskKinds.flatMap((kind) => submitReaders(vendor, kind, model)))
  return chat === null ? ofTasks : [['chats', ofChats]]
}

function submitReaders(vendor: Vendor, kind: TaskKind, model: string): readonly (readonly [name: string, read: Reader])[] {
  const dialect = makesTasks(vendor, kind, model) ? taskDialectOf(vendor, kind, model) : null
  if (dialect === null) return []
  const { images: { least } = { least: 0 }, parameters = {}, needsVideo = false } = dialect.fields(model) ?? {}
  const images = Array.from({ length: least }, () => ({ url: 'data:image/png;base64,aGk=' }))
  const extra = parameters['video_url'] === undefined ? {} : { video_url: 'https://films.example/a.mp4' }
  const params = taskParamsOf({ kind, model, images, extra, ...(needsVideo && { video, action: 'edit' as const }) })
  const read: Reader = (status, text) => {
    const step = dialect.submit(taskContext('https://vendor.example'), params, [{ status, text, json: parseJson(text) }])
    if (!('failed' in step)) throw new Error(`an error with status ${status} is no failure: ${JSON.stringify(step)}`)
    return meaningOf(classified(step.failed, vendor.failures, status))
  }
  return [[`${kind} of ${model}`, read]]
}

describe.each(vendors.map((vendor) => [vendor.type, vendor.name, vendor] as const))('type %d, %s:', (type, _name, vendor) => {
  const readers = readersOf(vendor)

  test('all but the proxy, which passes errors on as they are, have errors', () => {
    expect(readers.length === 0).toBe(vendor.name === 'Proxy')
  })

  test.each(readers)('the plainest errors of %s mean what their status says', (_, read) => {
    for (const [status, meaning] of Object.entries(plain)) {
      const expected = others[type]?.[Number(status)] ?? meaning
      expect([status, read(Number(status), '{"error":{"message":"no","type":null,"code":null}}')]).toEqual([status, expected])
    }
    // A page of a proxy says nothing about the key, the account or the prompt.
    for (const status of [400, 401, 402, 403, 413, 451]) {
      expect(['bad_request', 'forbidden', 'unavailable']).toContain(read(status, '<html>blocked</html>'))
    }
  })

  test('every row of its table of errors is the case of a test', () => {
    const untested = Object.entries(vendor.failures ?? {}).flatMap(([key, row]) => {
      if (typeof row === 'string') return isTold(key) ? [] : [key]
      const missing = row.filter(([pattern]) => !knownTexts.some((text) => pattern.test(text))).map(([pattern]) => String(pattern))
      return isTold(key) ? missing : [key, ...missing]
    })
    expect(untested).toEqual([])
  })
})

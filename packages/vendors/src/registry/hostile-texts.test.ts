import { describe, expect, test } from 'bun:test'
import { runningTask, taskContext, taskResponse } from '../../test/tasks.ts'
import { secondsOf } from '../core/duration.ts'
import type { Failure } from '../core/failure.ts'
import { classified } from '../core/failure-rules.ts'
import { baseOf, endsInVersion, joinUrl, rootOf, withoutTrailingSlashes, withoutVersion } from '../core/join-url.ts'
import type { JsonObject } from '../core/json.ts'
import { lookUpNames } from '../core/look-up-names.ts'
import type { TaskDialect } from '../core/task.ts'
import { addressOf } from '../core/vendor-query.ts'
import { withoutForeignReasoning } from '../protocols/anthropic/without-reasoning.ts'
import { gatewayFailures } from '../protocols/compat/gateway-failures.ts'
import { toParts } from '../protocols/gemini/content.ts'
import { readFailure as readGeminiFailure } from '../protocols/gemini/failure.ts'
import { versionPath } from '../protocols/gemini/host.ts'
import { traitsOf } from '../protocols/gemini/models.ts'
import { bytesInAddress } from '../protocols/shared/chat-parts.ts'
import { bedrockKeyOf } from '../vendors/bedrock/channel.ts'
import { cloudflare } from '../vendors/cloudflare/vendor.ts'
import { minimaxFailures } from '../vendors/minimax/failures.ts'
import { minimaxVideos } from '../vendors/minimax/videos.ts'
import { readOllamaFailure } from '../vendors/ollama/failures.ts'
import { appFor } from '../vendors/pika/apps.ts'
import { suno } from '../vendors/suno/vendor.ts'
import { zhipuVideos } from '../vendors/zhipu/videos.ts'

/** Milliseconds of the processor that a text of any length may take; each takes one or two. */
const cpuMsMax = 50

function withinTime<T>(run: () => T): T {
  run()
  const before = process.cpuUsage()
  const result = run()
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(cpuMsMax)
  return result
}

const failureOf = (fields: Partial<Failure>): Failure => ({
  kind: 'bad_request',
  message: 'no',
  type: null,
  param: null,
  code: null,
  ...fields,
})
const polled = (dialect: TaskDialect, error: JsonObject) =>
  dialect.poll(taskContext('https://upstream.example'), runningTask({ model: 'any' }), [taskResponse(error, 400)])
const million = 1_000_000

describe('an address of a channel', () => {
  test.each([
    ['https://a.example', 'https://a.example', false, 'https://a.example'],
    ['https://a.example/', 'https://a.example', false, 'https://a.example'],
    ['https://a.example/v1//', 'https://a.example/v1', true, 'https://a.example'],
    ['https://a.example/v1beta2', 'https://a.example/v1beta2', true, 'https://a.example'],
    ['https://a.example/v', 'https://a.example/v', false, 'https://a.example/v'],
    ['https://a.example/api/V3', 'https://a.example/api/V3', true, 'https://a.example/api'],
    ['https://a.example/v1.5', 'https://a.example/v1.5', false, 'https://a.example/v1.5'],
  ])('%s is read from its end', (address, plain, isVersioned, rest) => {
    expect(withoutTrailingSlashes(address)).toBe(plain)
    expect(endsInVersion(plain)).toBe(isVersioned)
    expect(withoutVersion(plain)).toBe(rest)
    expect(versionPath({ baseUrl: address, other: '' })).toBe(isVersioned ? '' : '/v1beta')
    expect(addressOf(address, '/user')).toBe(`${rest}/user`)
    expect(rootOf(address)).toBe('https://a.example')
  })

  test.each([
    ['slashes', `http://a${'/'.repeat(million)}x`],
    ['slashes at its end', `http://a${'/'.repeat(million)}`],
    ['digits', `http://a/v0${'0'.repeat(million)}/x`],
    ['a version that is none', `http://a/v0${'0'.repeat(million)}!`],
    ['versions', `http://a${'/v0'.repeat(million)}/x`],
    ['line feeds', `http://a${':'.repeat(million)}\0/\n`],
  ])('of many %s is read in time', (_name, address) => {
    withinTime(() => [baseOf(address), joinUrl(address, '/v1/x'), addressOf(address, '/x'), rootOf(address)])
    withinTime(() => versionPath({ baseUrl: address, other: '' }))
    withinTime(() => suno.variant?.({ baseUrl: address, key: '', config: {}, other: '' }))
  })
})

describe('the type of a file', () => {
  const typeOf = (filename: string) => toParts([{ type: 'file', file: { filename, file_data: 'AAAA' } }])[0]?.['inlineData']
  test.each([
    ['a.PNG', 'image/png'],
    ['a.b.csv', 'text/csv'],
    ['a.html?name=b.png#c', 'text/html'],
    ['a.html#b.png', 'text/html'],
    ['download?name=a.csv', 'text/csv'],
    ['png', 'application/pdf'],
    ['a.unknown', 'application/pdf'],
    ['a.constructor', 'application/pdf'],
    ['', 'application/pdf'],
  ])('%s is recognized by its extension', (name, mimeType) => {
    expect(typeOf(name)).toEqual({ mimeType, data: 'AAAA' })
  })

  test.each(['.a#', '.', '.a', '?', '.png?', '#.'])('is found in time in a name of %s', (piece) => {
    withinTime(() => typeOf(`${piece.repeat(million)}\n`))
    withinTime(() => toParts([{ type: 'image_url', image_url: { url: `https://a.example/${piece.repeat(million)}\n` } }]))
  })
})

describe('a data address', () => {
  test.each([
    ['data:image/png;base64,AAAA', { type: 'image/png', data: 'AAAA' }],
    ['DATA:audio/x-wav;codecs=1;BASE64,AA', { type: 'audio/x-wav', data: 'AA' }],
    ['data:;base64,AA', { data: 'AA' }],
    ['data:image/svg+xml;charset=utf-8;base64,', { type: 'image/svg+xml', data: '' }],
  ])('%s has its type and its bytes', (address, read) => {
    expect(bytesInAddress(address)).toEqual(read)
  })

  test.each([
    'data:image/png,AAAA',
    'data:image;base64,AA',
    'data:base64,AA',
    'https://a.example/a;base64,AA',
    'data:image/png;base64',
    '',
  ])('%s is none', (address) => {
    expect(bytesInAddress(address)).toBeNull()
  })

  test.each([';', 'a', ';a=b', 'a/', ','])('of many %s is read in time', (piece) => {
    withinTime(() => bytesInAddress(`data:${piece.repeat(million)}`))
    withinTime(() => bytesInAddress(`data:a/b${piece.repeat(million)};base64,AA`))
  })
})

test('a duration is one of at most 40 characters', () => {
  expect(['6m0s', '1.5s', '120ms', ' 1h2m3s ', '7', '1x', '', `${'0'.repeat(40)}s`].map(secondsOf)).toEqual([
    360,
    1.5,
    0.12,
    3723,
    7,
    null,
    null,
    null,
  ])
  for (const text of [`${'0'.repeat(million)}x`, '1h'.repeat(million), ' '.repeat(million)])
    expect(withinTime(() => secondsOf(text))).toBeNull()
})

describe('an error of a vendor', () => {
  test('has short texts, whatever the vendor wrote', () => {
    const long = `${'.'.repeat(million)}\n`
    const rules = { a: 'no_quota' } as const
    const read = withinTime(() => classified(failureOf({ message: long, code: long, type: long, param: long }), rules))
    expect([read.message.length, read.code?.length, read.type?.length, read.param?.length]).toEqual([2_000, 200, 200, 200])
    expect(classified(failureOf({ code: 'a.b.c' }), rules).kind).toBe('no_quota')
  })

  test.each(['thinking.', 'signature ', 'token count ', 'tokens ', 'exceed', 'exceeds ', 'model ', 'task ', 'remain quota: ', '0', ' '])(
    'is read in time, if it repeats "%s"',
    (piece) => {
      const message = piece.repeat(million / 10)
      const body = JSON.stringify({ error: { message } })
      withinTime(() => readGeminiFailure(400, body))
      withinTime(() => readOllamaFailure(400, body))
      for (const rules of [gatewayFailures, minimaxFailures, cloudflare.failures])
        for (const code of ['insufficient_user_quota', '2013', '400']) withinTime(() => classified(failureOf({ message, code }), rules))
      withinTime(() => withoutForeignReasoning({ messages: [] }, failureOf({ message })))
      withinTime(() => polled(zhipuVideos, { error: { message } }))
      withinTime(() => polled(minimaxVideos, { base_resp: { status_code: 1, status_msg: message } }))
    },
  )

  test('about a task that the vendor does not know is no failure', () => {
    for (const message of ['the task does not exist', 'Task 7 not found', '任务不存在'])
      expect(polled(zhipuVideos, { error: { message } })).toEqual({ done: null })
    for (const message of ['invalid task_id', 'invalid taskid', 'task 7 not found'])
      expect(polled(minimaxVideos, { base_resp: { status_code: 1, status_msg: message } })).toEqual({ done: null })
    expect(polled(zhipuVideos, { error: { message: 'the service was not found' } })).toHaveProperty('failed')
  })

  test('about a signature of reasoning that another model made lets the chat be sent without them', () => {
    const chat = { messages: [{ role: 'assistant', content: 'Hi', thinking_blocks: [] }] }
    for (const message of ['Invalid `signature` in `thinking` block', 'thinking blocks have a wrong signature'])
      expect(withoutForeignReasoning(chat, failureOf({ message }))).toEqual({ messages: [{ role: 'assistant', content: 'Hi' }] })
    expect(withoutForeignReasoning(chat, failureOf({ message: 'the signature expired' }))).toBeNull()
  })
})

describe('a name', () => {
  test('of a model is looked up without what resellers add', () => {
    expect(lookUpNames('anthropic/claude-opus-4:free:x')).toContain('claude-opus-4')
    withinTime(() => lookUpNames(`${':'.repeat(million)}\n`))
  })

  test('of a model in a response of Gemini is read as far as names are long', () => {
    expect(traitsOf('gemini-2.5-flash-image')).toBe(traitsOf('gemini-2.0-flash-exp-image-generation'))
    withinTime(() => traitsOf('gemini-2'.repeat(million)))
    withinTime(() => traitsOf('gemini-3.1'.repeat(million)))
  })

  test('of a region has a few parts', () => {
    for (const region of ['us-east-1', 'us-gov-west-1', 'ap-southeast-2'])
      expect(bedrockKeyOf({ key: `a|${region}`, config: {} })).toMatchObject({ region })
    expect(withinTime(() => bedrockKeyOf({ key: `a|us${'-a'.repeat(million)}`, config: {} }))).toBeNull()
  })

  test('of an app has a few parts', () => {
    expect(appFor({ model: 'fal-ai/pika/v2.2/text-to-video', images: [] })).toMatchObject({ path: 'fal-ai/pika/v2.2/text-to-video' })
    for (const part of ['/a', '/.', '.', '/..'])
      expect(withinTime(() => appFor({ model: `fal-ai${part.repeat(million)}!`, images: [] }))).toHaveProperty('refused')
  })
})

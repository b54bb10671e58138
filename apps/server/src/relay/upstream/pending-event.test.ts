import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../test/app.ts'
import type { Script } from '../../../test/fake-upstream.ts'

// The memory that long events of many streams take together while they arrive: 64 MiB.

const mebi = 1024 * 1024
let app: TestApp
let key: string

beforeAll(async () => {
  app = await testApp()
  key = (await app.make.token(await app.make.user({ quota: 1_000_000_000_000 }))).key
  await app.make.channel()
})
afterAll(() => app.close())

const stream = async (): Promise<string> => {
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  return await response.text()
}

const chunkOf = (delta: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta }] })}\n\n`
const first = { do: 'send', bytes: chunkOf({ content: 'a' }) } as const
const image = `data:image/png;base64,${'x'.repeat(12 * mebi)}`
const long = chunkOf({ images: [{ type: 'image_url', image_url: { url: image } }] })
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const end = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}\n\ndata: [DONE]\n\n`
const head = { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } } as const

/** Whether the whole image and the end of the stream came. */
const isWhole = (response: string): boolean => response.includes(image) && response.trimEnd().endsWith('data: [DONE]')

describe('long events of more bytes than all responses may keep', () => {
  test('wait for each other and arrive whole', async () => {
    const script: Script = [head, first, { do: 'send', bytes: long + end }]
    app.upstream.script(...Array.from({ length: 8 }, () => script))
    const responses = await Promise.all(Array.from({ length: 8 }, stream))
    expect(responses.map(isWhole)).toEqual(Array.from({ length: 8 }, () => true))
  })

  test('that stall are given up for those that wait', async () => {
    const stalled: Script = [head, first, { do: 'send', bytes: long.slice(0, -2) }, { do: 'wait', name: 'never' }]
    const before = app.upstream.received.length
    app.upstream.script(...Array.from({ length: 6 }, () => stalled))
    const ends: string[] = []
    const six = Array.from({ length: 6 }, () => stream().then((response) => ends.push(response)))
    while (app.upstream.received.length < before + 6) await new Promise((resolve) => setTimeout(resolve, 10))
    // The stalled ones have not all arrived at once, so the first streams may still find memory. Then one waits, until others have stalled
    // for five seconds. A clock of the test would run ahead of what is still arriving.
    const others: string[] = []
    while (ends.length === 0) {
      app.upstream.script([head, first, { do: 'send', bytes: long + end }])
      others.push(await stream())
    }
    expect(others.map(isWhole)).toEqual(others.map(() => true))
    expect(ends[0]).toContain('upstream_answer_too_long')
    app.upstream.release('never')
    await Promise.all(six)
    expect(ends.every((response) => response.includes('"code":'))).toBe(true)
  })
})

import { describe, expect, test } from 'bun:test'
import { Worker } from 'node:worker_threads'
import { createDeadlines } from '../../lib/deadlines.ts'
import { audioTokens } from './audio-tokens.ts'
import { estimatePrompt } from './count-tokens.ts'
import { createMediaMeter } from './media-meter.ts'
import { PromptMedia } from './prompt-media.ts'
import { createTokenCounter } from './token-counter.ts'

const clock = { ms: 0, nowMs: () => clock.ms, monotonicMs: () => clock.ms }
const deadlines = createDeadlines(clock)

/** @param code of the thread; missing: the real tokenizer */
function newCounter(code?: string) {
  const failures: string[] = []
  const log = { error: ({ err }: { err: Error }) => void failures.push(err.message) }
  const thread = code === undefined ? {} : { startThread: () => new Worker(code, { eval: true }) }
  return { ...createTokenCounter({ log, clock, deadlines, ...thread }), failures }
}

const echoing = "const { parentPort } = require('node:worker_threads'); parentPort.on('message', ({ id, text }) => "

describe('output without a vendor’s count', () => {
  // OpenAI's tokenizers differ most for text that is not English.
  const text = '今天天气很好，我们一起去公园散步吧。'

  test('is counted with the tokenizer of its model', async () => {
    const counter = newCounter()
    const { count } = counter
    const older = await count(text, 'gpt-4-turbo')
    expect(await count(text, 'gpt-3.5-turbo')).toBe(older)
    expect(await count(text, 'ft:gpt-3.5-turbo:us::1')).toBe(older)
    const newer = await count(text, 'gpt-4o')
    expect(newer).toBeLessThan(older)
    for (const model of ['gpt-4.1', 'gpt-5', 'o3', 'a model of somebody else']) expect(await count(text, model)).toBe(newer)
    counter.close()
  })

  test('is counted on a separate thread, and estimated if the thread is stopped', async () => {
    const counter = newCounter()
    const counted = counter.count('hello there '.repeat(50_000), 'gpt-4o')
    counter.close()
    expect(await counted).toBe(150_000)
    expect(await counter.count('hello there', 'gpt-4o')).toBe(2)
    counter.close()
  })
})

describe('a long text', () => {
  test('is counted in turns with others, also if a tokenizer is slow with it', async () => {
    const counter = newCounter()
    await counter.count('loads the tables', 'gpt-4o')
    const long = counter.count('的'.repeat(1_000_000), 'gpt-4o').then(() => 'long')
    const short = counter.count('hello there', 'gpt-4o').then(() => 'short')
    expect(await Promise.race([long, short])).toBe('short')
    counter.close()
    await long
  })

  test('is counted up to a million characters, and estimated behind them', async () => {
    const { count, close } = newCounter(`${echoing} parentPort.postMessage({ id, tokens: text.length }))`)
    expect(await count('a'.repeat(1024 * 1024 + 400), 'gpt-4o')).toBe(1024 * 1024 + 100)
    close()
  })
})

describe('a prompt', () => {
  const prompt = (part: object, model = 'gpt-4o'): number =>
    estimatePrompt({ model, messages: [{ role: 'user', content: [{ type: 'x', ...part }] }] }, new PromptMedia(model))

  test('is estimated with its images, by size and requested detail', () => {
    const plain = prompt({ text: '' })
    const url = 'https://pictures.test/a.png'
    expect(prompt({ image_url: { url, detail: 'low' } })).toBe(plain + 85)
    expect(prompt({ image_url: { url } })).toBe(plain + 1445)
  })

  test('is estimated with its audio, by length and the tokens per second of the model family', async () => {
    const media = new PromptMedia('gpt-4o')
    const data = Buffer.alloc(8000).toString('base64')
    const content = [{ type: 'input_audio', input_audio: { data, format: 'mp3' } }]
    estimatePrompt({ model: 'gpt-4o', messages: [{ role: 'user', content }] }, media)
    const address = { type: 'input_audio', input_audio: { data: `data:audio/mpeg;base64,${data}`, format: 'mpeg' } }
    estimatePrompt({ model: 'gpt-4o', messages: [{ role: 'user', content: [address] }] }, media)
    expect(media.params).toEqual({
      unmeasured: { images: [], audio: [data, data], documents: [], file: null, characters: 2 * data.length },
    })
    const meter = createMediaMeter({ log: { warn: () => {} }, clock, deadlines })
    expect(await audioTokens([data], 'gpt-4o', meter)).toBe(11)
    expect(await audioTokens([data, data], 'gemini-2.5-flash', meter)).toBe(66)
    meter.close()
  })

  test('has a numeric estimate, whatever its parts are', () => {
    for (const odd of [null, 1, 'x', [], {}, { url: 1 }, { data: 1 }]) {
      expect(Number.isSafeInteger(prompt({ image_url: odd }))).toBe(true)
      expect(Number.isSafeInteger(prompt({ input_audio: odd }))).toBe(true)
    }
  })
})

describe('a tokenizer', () => {
  test('that exits is replaced, and its pending texts are estimated', async () => {
    const { count, close, failures } = newCounter(`${echoing} process.exit(3))`)
    expect(await Promise.all([count('hello there', 'gpt-4o'), count('one two three four', 'gpt-4o')])).toEqual([3, 5])
    expect(await count('hello there', 'gpt-4o')).toBe(3)
    expect(failures).toEqual(['the thread ended with code 3', 'the thread ended with code 3'])
    close()
  })

  test('that fails is replaced, and its pending texts are estimated', async () => {
    const { count, close, failures } = newCounter(`${echoing} { throw new Error('no tables') })`)
    expect(await count('hello there', 'gpt-4o')).toBe(3)
    expect(failures).toEqual(['no tables'])
    close()
  })

  test('that is stuck is ended after 20 seconds without a response, and its pending texts are estimated', async () => {
    const stuck = newCounter(`${echoing} { for (;;); })`)
    const counted = stuck.count('hello there', 'gpt-4o')
    clock.ms += 20_001
    expect(await counted).toBe(3)
    expect(stuck.failures).toEqual(['the thread timed out'])
    stuck.close()
  })

  test('that responses to one text after another may take longer in total', async () => {
    const { count, close, failures } = newCounter(`${echoing} { if (text !== 'never') parentPort.postMessage({ id, tokens: 7 }) })`)
    const never = count('never', 'gpt-4o')
    for (let responses = 0; responses < 3; responses += 1) {
      clock.ms += 15_000
      expect(await count('hello there', 'gpt-4o')).toBe(7)
    }
    expect(failures).toEqual([])
    close()
    expect(await never).toBe(2)
  })
})

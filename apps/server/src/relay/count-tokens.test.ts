import { describe, expect, test } from 'bun:test'
import pino from 'pino'
import { estimatePrompt } from './count-tokens.ts'
import { createTokenCounter } from './token-counter.ts'

describe('output that a vendor did not count', () => {
  // OpenAI's tokenizers differ most where text is not English.
  const text = '今天天气很好，我们一起去公园散步吧。'

  test('is counted with the tokenizer of its model', async () => {
    const counter = createTokenCounter(pino({ level: 'silent' }))
    const { count } = counter
    const older = await count(text, 'gpt-4-turbo')
    expect(await count(text, 'gpt-3.5-turbo')).toBe(older)
    expect(await count(text, 'ft:gpt-3.5-turbo:us::1')).toBe(older)
    const newer = await count(text, 'gpt-4o')
    expect(newer).toBeLessThan(older)
    for (const model of ['gpt-4.1', 'gpt-5', 'o3', 'a model of somebody else']) expect(await count(text, model)).toBe(newer)
    counter.close()
  })

  test('is counted beside everything else, and estimated where the counting is stopped', async () => {
    const counter = createTokenCounter(pino({ level: 'silent' }))
    const counted = counter.count('hello there '.repeat(50_000), 'gpt-4o')
    counter.close()
    expect(await counted).toBe(150_000)
    expect(await counter.count('hello there', 'gpt-4o')).toBe(2)
    counter.close()
  })
})

describe('a prompt', () => {
  const prompt = (part: object, model = 'gpt-4o'): number =>
    estimatePrompt({ model, messages: [{ role: 'user', content: [{ type: 'x', ...part }] }] })

  test('is reckoned with its pictures, by their size and the detail that is asked for', () => {
    const plain = prompt({ text: '' })
    const url = 'https://pictures.test/a.png'
    expect(prompt({ image_url: { url, detail: 'low' } })).toBe(plain + 85)
    expect(prompt({ image_url: { url } })).toBe(plain + 1445)
  })

  test('is reckoned with its sound, by its length and what the family of the model takes for a second', () => {
    const input_audio = { data: Buffer.alloc(8000).toString('base64'), format: 'mp3' }
    expect(prompt({ input_audio })).toBe(prompt({ text: '' }) + 11)
    expect(prompt({ input_audio }, 'gemini-2.5-flash')).toBe(prompt({ text: '' }) + 33)
  })

  test('is a number, whatever its parts are', () => {
    for (const odd of [null, 1, 'x', [], {}, { url: 1 }, { data: 1 }]) {
      expect(Number.isSafeInteger(prompt({ image_url: odd }))).toBe(true)
      expect(Number.isSafeInteger(prompt({ input_audio: odd }))).toBe(true)
    }
  })
})

import { expect, test } from 'bun:test'
import { allParts, late } from './late.ts'

test('loads once, whoever asks, and then has the module at once', async () => {
  let loads = 0
  const code = late(async () => {
    loads += 1
    return 'the module'
  })
  expect(code.loaded()).toBeNull()
  expect(await Promise.all([code.load(), code.load()])).toEqual(['the module', 'the module'])
  expect(await code.load()).toBe('the module')
  expect([code.loaded(), loads]).toEqual(['the module', 1])
})

test('tries again after a failure', async () => {
  const responses = [() => Promise.reject(new Error('offline')), () => Promise.resolve('the module')]
  const code = late(() => responses.shift()?.() ?? Promise.reject(new Error('no more answers')))
  const [first, second] = await Promise.allSettled([code.load(), code.load()])
  expect([first.status, second.status]).toEqual(['rejected', 'rejected'])
  expect(code.loaded()).toBeNull()
  expect(await code.load()).toBe('the module')
})

test('a part that fails is reported only when the others have come or failed', async () => {
  const texts = Promise.withResolvers<string>()
  const messages: string[] = []
  const loading = allParts(Promise.reject(new Error('the code')), texts.promise).catch((error: Error) => messages.push(error.message))
  await new Promise(setImmediate)
  expect(messages).toEqual([])
  texts.reject(new Error('the texts'))
  await loading
  expect(messages).toEqual(['the texts'])
  expect(await allParts(Promise.resolve('the module'), Promise.resolve())).toBe('the module')
})

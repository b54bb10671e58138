import { afterAll, expect, test } from 'bun:test'
import { Worker } from 'node:worker_threads'
import { flacWithComments, id3WithFrames, mp4Audio, mp4Table, mp4WithoutLengths, wavOfChunks } from '../../../test/hostile-audio.ts'
import { pageObjects, pageTree, pdfOf } from '../../../test/pdf.ts'
import { wavHead } from '../../../test/wav.ts'
import { createDeadlines } from '../../lib/deadlines.ts'
import type { ByteSource } from '../model/form.ts'
import { audioTokens } from './audio-tokens.ts'
import { mediaTokens } from './measure-media.ts'
import { createMediaMeter } from './media-meter.ts'

const clock = { ms: 0, nowMs: () => clock.ms, monotonicMs: () => clock.ms }
const deadlines = createDeadlines(clock)

/** @param code of the thread; missing: the real one */
function newMeter(code?: string) {
  const failures: string[] = []
  const started = Promise.withResolvers<void>()
  const log = { warn: ({ err }: { err: Error }) => void failures.push(err.message) }
  const startThread = (): Worker => {
    started.resolve()
    return new Worker(code ?? '', { eval: true })
  }
  return {
    ...createMediaMeter({ log, clock, deadlines, ...(code === undefined ? {} : { startThread }) }),
    failures,
    started: started.promise,
  }
}

const sourceOf = (bytes: Uint8Array): ByteSource => ({
  byteLength: bytes.length,
  read: async (start, end) => bytes.subarray(start, end),
})
const empty = sourceOf(new Uint8Array(0))

const real = newMeter()
afterAll(real.close)

/** The longest time for which a timer was kept waiting. */
async function longestPauseMs(work: Promise<unknown>): Promise<number> {
  let [last, longest] = [performance.now(), 0]
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 5)
  await work
  clearInterval(timer)
  return longest
}

test('audio is measured by its headers, file after file', async () => {
  const minute = Buffer.concat([wavHead(60), Buffer.alloc(60 * 32_000)])
  const files = [minute, mp4Audio({ units: 90_000, unitsPerSecond: 1000 }), Buffer.alloc(8_000)]
  expect(await Promise.all(files.map((bytes) => real.audioMs(sourceOf(bytes))))).toEqual([60_000, 90_000, 1_000])
  expect(await real.audioMs(empty)).toBe(0)
})

test('sixty-four hostile files at once leave the event loop and the memory free', async () => {
  const files = [
    id3WithFrames(1_000_000),
    mp4Audio({ units: 90_000, unitsPerSecond: 1000 }, mp4Table('stco', 3_900_000, 4)),
    mp4Audio({ units: 90_000, unitsPerSecond: 1000 }, mp4Table('ctts', 1_900_000, 8)),
    flacWithComments(2_000_000),
    wavOfChunks(5_000),
    mp4WithoutLengths(5_000),
  ]
  await real.audioMs(empty)
  const before = process.memoryUsage.rss()
  const cpu = process.threadCpuUsage()
  const all = Array.from({ length: 64 }, (_, index) => real.audioMs(sourceOf(files[index % files.length] ?? Buffer.alloc(0))))
  const pauseMs = await longestPauseMs(Promise.all(all))
  const { user, system } = process.threadCpuUsage(cpu)
  expect((await Promise.all(all)).every((durationMs) => durationMs !== null && durationMs > 0)).toBe(true)
  expect((await Promise.all(all)).slice(1, 3)).toEqual([90_000, 90_000])
  expect((process.memoryUsage.rss() - before) / 1024 / 1024).toBeLessThan(150)
  // The processor may be busy with others, so that the longest pause alone says little.
  expect(Math.min(pauseMs, (user + system) / 1000 / 64)).toBeLessThan(100)
})

test('audio of a prompt is decoded piece by piece, and costs tokens by its length', async () => {
  const tag = id3WithFrames(400_000).toString('base64')
  const speech = Buffer.concat([wavHead(10), Buffer.alloc(10 * 32_000)]).toString('base64')
  const audio = Array.from({ length: 64 }, (_, index) => (index % 8 === 0 ? tag : speech))
  const tokens = audioTokens(audio, 'gpt-4o', real)
  const pauseMs = await longestPauseMs(tokens)
  expect(await tokens).toBe(56 * 100 + 8 * Math.ceil(((400_000 * 11 + 10) / 8_000) * 10))
  expect(pauseMs).toBeLessThan(1_000)
})

test('a document of thirty megabytes is read while others are served', async () => {
  const image = { dictionary: '/Subtype /Image /Filter /DCTDecode', stream: Buffer.alloc(30_000_000, 'picture') }
  const base64 = pdfOf(['<< /Pages 2 0 R >>', pageTree(9), ...pageObjects(9), image]).toString('base64')
  const reading = mediaTokens({ images: [], audio: [], documents: [{ type: '', data: base64 }] }, 'gpt-5.5', real)
  const pauseMs = await longestPauseMs(reading)
  expect((await reading).document).toEqual({ usual: 27_000, most: 54_000 })
  expect(pauseMs).toBeLessThan(150)
})

const responding = "const { parentPort } = require('node:worker_threads'); parentPort.on('message', ({ kind, byteLength }) => "

const stuckAtOne = `${responding} { if (byteLength === 1) for (;;); parentPort.postMessage({ kind: 'duration', durationMs: 7 }) })`

test('a thread that is stuck is ended, its file has no length, and the next one is measured', async () => {
  const { audioMs, close, failures, started } = newMeter(stuckAtOne)
  const files = [1, 2].map((length) => audioMs(sourceOf(new Uint8Array(length))))
  await started
  clock.ms += 5_001
  expect(await Promise.all(files)).toEqual([null, 7])
  expect(failures).toEqual(['the thread timed out'])
  close()
})

test('a file that waits too long for others is not read', async () => {
  const { audioMs, close, failures, started } = newMeter(stuckAtOne)
  const files = [1, 2].map((length) => audioMs(sourceOf(new Uint8Array(length))))
  await started
  clock.ms += 15_001
  expect(await Promise.all(files)).toEqual([null, null])
  expect(failures).toEqual(['the thread timed out'])
  close()
})

test('a thread that exits, and a file that cannot be read, bring no length', async () => {
  const exiting = newMeter(`${responding} process.exit(3))`)
  expect(await exiting.audioMs(empty)).toBeNull()
  expect(exiting.failures).toEqual(['the thread ended with code 3'])
  exiting.close()
  const broken: ByteSource = { byteLength: 9, read: () => Promise.reject(new Error('the disk is gone')) }
  const reading = newMeter()
  expect(await reading.audioMs(broken)).toBeNull()
  expect(reading.failures).toEqual(['the disk is gone'])
  reading.close()
})

test('files beyond those that may wait are not read, and one request does not go on after one of its files was not', async () => {
  const { audioMs, close } = newMeter(`${responding} { for (;;); })`)
  const waiting = Array.from({ length: 258 }, () => audioMs(empty))
  expect(await audioMs(empty)).toBeNull()
  let callCount = 0
  const unread = {
    async audioMs() {
      callCount += 1
      return null
    },
    documentFacts: async () => null,
  }
  expect(await audioTokens(['AAAA', 'AAAA', 'AAAA'], 'gpt-4o', unread)).toBe(3)
  expect(callCount).toBe(1)
  close()
  await waiting[0]
})

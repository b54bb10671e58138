import { type MessagePort, parentPort } from 'node:worker_threads'
import { readDurationMs } from './audio-duration.ts'
import type { AudioAnswer, AudioQuestion } from './audio-meter.ts'

// Holds: `audio-meter.ts` starts this file as a worker.
const main = parentPort as MessagePort

/** Takes the bytes that were asked for last. One file is read at a time. */
let take: (bytes: Uint8Array) => void = () => {}

function read(start: number, end: number): Promise<Uint8Array> {
  return new Promise((resolve) => {
    take = resolve
    main.postMessage({ kind: 'read', start, end } satisfies AudioAnswer)
  })
}

main.on('message', async (question: AudioQuestion) => {
  if (question.kind === 'bytes') return take(question.bytes)
  const durationMs = await readDurationMs({ byteLength: question.byteLength, read })
  main.postMessage({ kind: 'duration', durationMs } satisfies AudioAnswer)
})

import { type MessagePort, parentPort } from 'node:worker_threads'
import { readDurationMs } from './audio-duration.ts'
import { readDocument } from './document-facts.ts'
import type { MediaQuestion, MediaResponse } from './media-meter.ts'

// Holds: `media-meter.ts` starts this file as a worker.
const main = parentPort as MessagePort

/** Takes the bytes that were requested last. One file is read at a time. */
let take: (bytes: Uint8Array) => void = () => {}

function read(start: number, end: number): Promise<Uint8Array> {
  return new Promise((resolve) => {
    take = resolve
    main.postMessage({ kind: 'read', start, end } satisfies MediaResponse)
  })
}

main.on('message', async (question: MediaQuestion) => {
  if (question.kind === 'bytes') return take(question.bytes)
  const source = { byteLength: question.byteLength, read }
  const response: MediaResponse =
    question.kind === 'audio'
      ? { kind: 'duration', durationMs: await readDurationMs(source) }
      : { kind: 'facts', facts: await readDocument(source) }
  main.postMessage(response)
})

import { type MessagePort, parentPort } from 'node:worker_threads'
import { piecesOf } from './text-pieces.ts'
import type { CountAnswer, CountQuestion, Encoding } from './token-counter.ts'

// Holds: `token-counter.ts` starts this file as a worker.
const main = parentPort as MessagePort

/** Longest text per call: the tokenizer's time grows with the square of a run without a space. */
const pieceLength = 512

/** Names of special tokens in an answer are plain text. */
const asText = { allowedSpecial: 'all' } as const

type Count = (text: string) => number

const tokenizers = {
  async o200k() {
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
    return (text) => countTokens(text, asText)
  },
  async cl100k() {
    const { countTokens } = await import('gpt-tokenizer/encoding/cl100k_base')
    return (text) => countTokens(text, asText)
  },
} as const satisfies Record<Encoding, () => Promise<Count>>

/** Each encoding is loaded, with its tables, on first use. */
const loading = new Map<Encoding, Promise<Count>>()

main.on('message', async ({ id, text, encoding }: CountQuestion) => {
  const started = loading.get(encoding) ?? tokenizers[encoding]()
  loading.set(encoding, started)
  const count = await started
  let tokens = 0
  for (const [start, end] of piecesOf(text, pieceLength)) tokens += count(text.slice(start, end))
  main.postMessage({ id, tokens } satisfies CountAnswer)
})

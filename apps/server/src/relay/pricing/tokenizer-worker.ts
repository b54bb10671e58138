import { type MessagePort, parentPort } from 'node:worker_threads'
import { piecesOf } from './text-pieces.ts'
import type { Encoding, TokenizerQuestion, TokenizerResponse } from './token-counter.ts'

// Holds: `token-counter.ts` starts this file as a worker.
const main = parentPort as MessagePort

/** Longest text per call: the tokenizer's time grows with the square of a run without a space. */
const pieceLength = 512

/** Names of special tokens in a response are plain text. */
const asText = { allowedSpecial: 'all' } as const

interface Tokenizer {
  countTokens(text: string, options: typeof asText): number
  decode(tokens: readonly number[]): string
}

const tokenizers = {
  o200k: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k: () => import('gpt-tokenizer/encoding/cl100k_base'),
} as const satisfies Record<Encoding, () => Promise<Tokenizer>>

/** Each encoding is loaded, with its tables, on first use. */
const loading = new Map<Encoding, Promise<Tokenizer>>()

main.on('message', async (question: TokenizerQuestion) => {
  const { id, encoding } = question
  const started = loading.get(encoding) ?? tokenizers[encoding]()
  loading.set(encoding, started)
  const response = responseOf(question, await started)
  main.postMessage({ id, ...response } satisfies TokenizerResponse)
})

function responseOf(question: TokenizerQuestion, { countTokens, decode }: Tokenizer): Omit<TokenizerResponse, 'id'> {
  if ('lists' in question) return { texts: question.lists.map((tokens) => decode(tokens)) }
  const { text } = question
  let tokens = 0
  for (const [start, end] of piecesOf(text, pieceLength)) tokens += countTokens(text.slice(start, end), asText)
  return { tokens }
}

import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import type { Deadline, Deadlines } from '../../lib/deadlines.ts'
import type { TextsOfTokens } from '../model/token-texts.ts'
import { estimateTokens } from './count-tokens.ts'
import { piecesOf } from './text-pieces.ts'

/** Counts output text exactly, as the model's own tokenizer does. */
export interface TokenCounter {
  count(text: string, model: string): Promise<number>
  readonly textsOf: TextsOfTokens
  /** Ends the thread. A later count starts another. */
  close(): void
}

export type Encoding = 'o200k' | 'cl100k'

/** What the thread is to count, or to write as texts. */
type Task = { readonly encoding: Encoding } & ({ readonly text: string } | { readonly lists: ReadonlyArray<readonly number[]> })

/** The messages to and from the thread. */
export type TokenizerQuestion = Task & { readonly id: number }
export interface TokenizerResponse {
  readonly id: number
  readonly tokens?: number
  readonly texts?: readonly string[]
}

/** GPT-3.5, GPT-4 before GPT-4o, and embeddings use the older tokenizer (openai/tiktoken, `model.py`). */
const olderModels = /^(ft:)?(gpt-4(-|$)|gpt-3\.5|gpt-35|text-embedding-)/

/** Models of other vendors are counted with OpenAI's current tokenizer: close, and marked as our own count. */
function encodingOf(model: string): Encoding {
  return olderModels.test(model) ? 'cl100k' : 'o200k'
}

/** Models whose numbers of tokens are known (openai/tiktoken, `model.py`, read 2026-11-30). */
const embeddingModels = /^(?:openai\/)?text-embedding-(?:ada-002|3-small|3-large)$/
/** Tokens of cl100k, without those that are no text. */
const tokensOfText = 100_256

const areTokens = (list: readonly number[]): boolean => list.every((token) => Number.isInteger(token) && token >= 0 && token < tokensOfText)

interface PendingResponse {
  /** `null`: the thread failed. */
  readonly resolve: (response: TokenizerResponse | null) => void
}

interface TokenCounterDeps {
  readonly log: Pick<Logger, 'error'>
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly startThread?: () => Worker
}

/** Maximum time for the next response of the thread, including loading its tables; then it counts as stuck. Clients wait for it. */
const responseMs = 20_000
/**
 * Characters that the thread counts before it turns to other texts: they take a few milliseconds, or a tenth of a second if they are such that
 * a tokenizer is slow.
 */
const sliceLength = 16_384
/** Characters of a text that are counted; what is behind them is estimated. No model writes as many. */
const countedLength = 1024 * 1024

const startTokenizer = (): Worker => new Worker(new URL('./tokenizer-worker.ts', import.meta.url))

/**
 * Counts on a worker thread, because loading a tokenizer and counting a long response block for long. Only responses without vendor usage
 * are counted here, so the first of them starts the thread. If it fails, exits or is stuck, its pending texts are estimated, and the next
 * text starts another thread. Texts are counted in slices, in turns.
 */
export function createTokenCounter({ log, clock, deadlines, startThread = startTokenizer }: TokenCounterDeps): TokenCounter {
  const pending = new Map<number, PendingResponse>()
  let worker: Worker | null = null
  let deadline: Deadline | null = null
  let lastId = 0

  function stop(): void {
    const stopped = worker
    worker = null
    void stopped?.terminate()
    endWait()
    for (const { resolve } of pending.values()) resolve(null)
    pending.clear()
  }

  function fail(of: Worker, err: unknown): void {
    // A thread that we stopped emits `exit`, too.
    if (worker !== of) return
    log.error({ err }, 'tokenizer failed, tokens estimated')
    stop()
  }

  function endWait(): void {
    if (deadline !== null) deadlines.cancel(deadline)
    deadline = null
  }

  function take(response: TokenizerResponse): void {
    pending.get(response.id)?.resolve(response)
    pending.delete(response.id)
    if (pending.size === 0) endWait()
    else if (deadline !== null) deadline.at = clock.monotonicMs() + responseMs
  }

  function start(): Worker {
    const started = startThread()
    started.unref()
    started.on('message', (response: TokenizerResponse) => {
      if (worker === started) take(response)
    })
    started.on('error', (err) => fail(started, err))
    started.on('messageerror', (err) => fail(started, err))
    started.on('exit', (code) => fail(started, new Error(`the thread ended with code ${code}`)))
    return started
  }

  function ask(task: Task): Promise<TokenizerResponse | null> {
    worker ??= start()
    const thread = worker
    lastId += 1
    const id = lastId
    deadline ??= deadlines.start(responseMs, () => fail(thread, new Error('the thread timed out')))
    return new Promise((resolve) => {
      pending.set(id, { resolve })
      thread.postMessage({ id, ...task } satisfies TokenizerQuestion)
    })
  }

  return {
    async count(text, model) {
      const encoding = encodingOf(model)
      let tokens = text.length > countedLength ? estimateTokens(text.slice(countedLength)) : 0
      // Each slice waits for those of other texts, so that none waits for a long text.
      for (const [start, end] of piecesOf(text.slice(0, countedLength), sliceLength)) {
        const counted = (await ask({ text: text.slice(start, end), encoding }))?.tokens
        if (counted === undefined) return estimateTokens(text)
        tokens += counted
      }
      return tokens
    },
    async textsOf(lists, model) {
      if (!embeddingModels.test(model) || !lists.every(areTokens)) return null
      return (await ask({ lists, encoding: 'cl100k' }))?.texts ?? null
    },
    close: stop,
  }
}

import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { estimateTokens } from './count-tokens.ts'

/** Counts output text exactly, as the model's own tokenizer does. */
export interface TokenCounter {
  count(text: string, model: string): Promise<number>
  /** Ends the thread. What is asked afterwards starts another. */
  close(): void
}

export type Encoding = 'o200k' | 'cl100k'

/** What the thread is asked, and what it answers. */
export interface CountQuestion {
  readonly id: number
  readonly text: string
  readonly encoding: Encoding
}
export interface CountAnswer {
  readonly id: number
  readonly tokens: number
}

/** GPT-3.5 and GPT-4 before GPT-4o, and embeddings, have the older tokenizer (openai/tiktoken, `model.py`). */
const olderModels = /^(ft:)?(gpt-4(-|$)|gpt-3\.5|gpt-35|text-embedding-)/

/** Models of other vendors are counted like the current ones of OpenAI: close, and marked as counted by us. */
function encodingOf(model: string): Encoding {
  return olderModels.test(model) ? 'cl100k' : 'o200k'
}

interface Asked {
  readonly text: string
  readonly resolve: (tokens: number) => void
}

/**
 * Counts on a thread of its own, because a tokenizer takes long to load and a long answer long to count, and everybody else would wait. Only
 * answers without a vendor's count come here, so it is started by the first of them. Where it fails, the text is estimated.
 */
export function createTokenCounter(log: Pick<Logger, 'error'>): TokenCounter {
  const asked = new Map<number, Asked>()
  let worker: Worker | null = null
  let lastId = 0

  function stop(): void {
    void worker?.terminate()
    worker = null
    for (const { text, resolve } of asked.values()) resolve(estimateTokens(text))
    asked.clear()
  }

  function start(): Worker {
    const started = new Worker(new URL('./tokenizer-worker.ts', import.meta.url))
    started.unref()
    started.on('message', ({ id, tokens }: CountAnswer) => {
      asked.get(id)?.resolve(tokens)
      asked.delete(id)
    })
    started.on('error', (err) => {
      log.error({ err }, 'the tokenizer failed, so tokens are estimated')
      stop()
    })
    return started
  }

  return {
    count(text, model) {
      if (text === '') return Promise.resolve(0)
      worker ??= start()
      const thread = worker
      lastId += 1
      const id = lastId
      return new Promise((resolve) => {
        asked.set(id, { text, resolve })
        thread.postMessage({ id, text, encoding: encodingOf(model) } satisfies CountQuestion)
      })
    },
    close: stop,
  }
}

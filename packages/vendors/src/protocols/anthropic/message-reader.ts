import { isObject, parseJson } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { PassedEvent } from '../../core/passthrough.ts'
import type { Usage } from '../../core/usage.ts'
import { outputText } from '../shared/output-text.ts'
import { errorIn, spliced } from './failure.ts'
import { isResult, usageOfResult } from './tool-results.ts'
import { isOutput, type MessageUsage, noCounts, toUsage, withBlock, withRefusal, withUsage } from './usage.ts'

const nothing: PassedEvent = { usage: null, text: '', finished: false, usageOnly: false, failure: null }
const empty: PassedEvent = { ...nothing, isEmpty: true }

/** Reads the events of one stream of messages without changing them (Messages API, "Streaming", read 2026-11-23). */
export class MessageReader {
  #counts: MessageUsage = noCounts
  #messageId: Json | undefined
  #hasBegun = false
  #hasContent = false
  /** The output count has arrived; the one in the first event is only a start value. */
  #isCounted = false
  #isDone = false
  /** The model has written something. */
  #hasOutput = false
  #stopReason: Json | undefined

  /** Pieces of a block do not change what is known of the stream. */
  event(data: string): PassedEvent {
    const event = parseJson(data)
    if (!isObject(event)) return empty
    switch (event['type']) {
      case 'content_block_delta':
        return { ...this.#written(event['delta']), chunk: event }
      case 'message_start':
        return { ...this.#start(isObject(event['message']) ? event['message'] : {}), chunk: event }
      case 'content_block_start':
        this.#counts = withBlock(this.#counts, event['content_block'])
        return { ...this.#begin(event['content_block']), callsTools: true, chunk: event }
      case 'message_delta':
        return { ...this.#finish(event), chunk: event }
      case 'message_stop':
        return { ...this.#stop(), isLast: true, chunk: event }
      default:
        return { ...empty, failure: errorIn(event), isEmpty: event['type'] !== 'content_block_stop', chunk: event }
    }
  }

  end(): { readonly complete: boolean; readonly usage: Usage | null } {
    return { complete: this.#isDone, usage: this.#isDone && !this.#isCounted ? null : this.#usage() }
  }

  #start({ id, usage }: JsonObject): PassedEvent {
    if (this.#hasBegun && (this.#hasContent || id !== this.#messageId)) return { ...nothing, failure: spliced }
    const isFirst = !this.#hasBegun
    this.#hasBegun = true
    this.#messageId = id
    this.#counts = withUsage(this.#counts, usage)
    return isFirst ? { ...empty, usage: toUsage(this.#counts), isPart: true } : empty
  }

  #finish({ delta, usage }: JsonObject): PassedEvent {
    const isTold = isObject(usage) && typeof usage['output_tokens'] === 'number'
    const known = isTold && !this.#isCounted ? { ...this.#counts, output: null } : this.#counts
    this.#counts = withUsage(known, usage)
    this.#isCounted ||= isTold
    if (isObject(delta) && typeof delta['stop_reason'] === 'string') {
      this.#isDone = true
      this.#stopReason = delta['stop_reason']
    }
    return { ...nothing, usage: isTold ? this.#usage() : null, finished: this.#isDone }
  }

  #usage(): Usage | null {
    const usage = toUsage(this.#counts)
    return withRefusal(usage, this.#stopReason, { hasOutput: this.#hasOutput })
  }

  #begin(block: Json | undefined): PassedEvent {
    this.#hasContent = true
    this.#hasOutput ||= isOutput(block)
    const usage = usageOfResult(block, this.#counts)
    return usage === null ? this.#written(block) : { ...nothing, usage, isPart: true }
  }

  #written(piece: Json | undefined): PassedEvent {
    const text = outputText(piece)
    this.#hasOutput ||= text !== ''
    return { ...nothing, text }
  }

  #stop(): PassedEvent {
    this.#isDone ||= this.#hasBegun
    return { ...nothing, finished: this.#isDone }
  }
}

/** The text that the model wrote in the blocks of a whole message. */
export function textOfBlocks(content: readonly Json[]): string {
  return content
    .filter((block) => !isResult(block))
    .map(outputText)
    .join('')
}

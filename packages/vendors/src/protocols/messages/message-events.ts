import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { innerCharactersMax, JsonCounter, JsonTally } from '../../core/json-counter.ts'
import { noUsage } from '../../core/no-usage.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'
import { carriedText } from '../shared/carried-reasoning.ts'
import { objectsIn, stopsIn } from '../shared/chat-parts.ts'
import { ownMark } from '../shared/gateway-marks.ts'
import { outputImages } from '../shared/output-images.ts'
import { type Block, deltas, grow, isComplete, mayBegin, openingOf, wholeOf } from './blocks.ts'
import { citationsOf } from './citations.ts'
import { hiddenProof, hidesReasoning, showsReasoning } from './hidden-reasoning.ts'
import { messageObject, messageUsage, stopReason } from './message-object.ts'

/** Makes the events of one message from the chunks of the chat that serves it. */
export interface MessageEvents {
  /** A `chat.completion.chunk`. */
  chunk(chunk: JsonObject): readonly JsonObject[]
  /** The events that end the message. */
  end(usage: Usage | null): readonly JsonObject[]
  /** The whole message, after its end. */
  whole(usage: Usage | null): JsonObject
  /** Number of events so far. */
  readonly count: number
  /** Number of content blocks so far. */
  readonly parts: number
  /** The JSON in the arguments of the calls so far. */
  readonly inner: JsonTally
}

export function createMessageEvents(context: ResponseContext): MessageEvents {
  const blocks: Block[] = []
  const isHidden = ({ kind }: Block): boolean => kind === 'thinking' && context.echo?.[hidesReasoning] === true
  const proofOf = (block: Block): string => {
    if (block.extra !== null) return ownMark + carriedText({ extra: block.extra })
    return isHidden(block) ? hiddenProof(block) : ownMark + block.signature
  }
  /** The last text and the last reasoning, which citations and signatures belong to: a search for them would take the square of the blocks. */
  let lastText: Block | undefined
  let lastReasoning: Block | undefined
  /** Blocks of calls by their place in the chat. */
  const calls = new Map<Json | undefined, Block>()
  /** The block that is being sent. Only one is open at a time, so what comes for a later one waits for its end. */
  let at = 0
  let finish: Json | undefined
  let refuses = false
  /** The stop sequence that ended the response; empty: one of them. */
  let stoppedBy: string | undefined
  let hasBegun = false
  let count = 0
  let pending: JsonObject[] = []
  const inner = new JsonTally(innerCharactersMax)

  function write(event: JsonObject): void {
    pending.push(event)
    count += 1
  }

  function taken(): readonly JsonObject[] {
    const events = pending
    pending = []
    return events
  }

  function begin(): void {
    if (hasBegun) return
    hasBegun = true
    const usage = { ...noUsage, promptTokens: context.promptTokens ?? 0 }
    write({ type: 'message_start', message: messageObject(context, { content: [], usage }) })
  }

  /** Why the message ended. */
  function ending(): JsonObject {
    const stops = stopsIn(context.echo?.['stop'] ?? null)
    const [only, ...others] = stops
    const reason = stopReason(finish, { callsTools: calls.size > 0, refuses, isStopped: stoppedBy !== undefined && only !== undefined })
    const known = stoppedBy === '' && others.length === 0 ? only : stops.find((stop) => stop === stoppedBy)
    return { stop_reason: reason, stop_sequence: reason === 'stop_sequence' ? (known ?? null) : null }
  }

  function add(kind: Block['kind'], { id = '', name = '', extra = null, source = {} }: Partial<Block> = {}): Block {
    const counter = new JsonCounter(inner)
    const block: Block = { kind, text: '', unsent: '', counter, id, name, extra, source, signature: '', citations: [], isBegun: false }
    blocks.push(block)
    if (kind === 'text') lastText = block
    if (kind === 'thinking') lastReasoning = block
    return block
  }

  function last(kind: Block['kind']): Block {
    const end = blocks.at(-1)
    return end?.kind === kind ? end : add(kind)
  }

  function say(kind: Block['kind'], value: Json | undefined): void {
    const text = textOr(value, '')
    if (text !== '') grow(last(kind), text)
  }

  /** Reasoning that the vendor signed may be sent back to it. It has come as text before, or it comes with its signature. */
  function sign({ type, data, thinking, signature }: JsonObject): void {
    if (type === 'redacted_thinking') add('redacted').signature = textOr(data, '')
    if (type !== 'thinking') return
    const text = textOr(thinking, '')
    const isSaid = lastReasoning?.signature === '' && (text === '' || lastReasoning.text === text)
    const block = isSaid && lastReasoning !== undefined ? lastReasoning : add('thinking')
    if (!isSaid) grow(block, text)
    block.signature = textOr(signature, '')
  }

  function think({ reasoning_content: reasoningText, reasoning, thinking_blocks: signed }: JsonObject): void {
    const proven = objectsIn(signed)
    // In a whole response the signed reasoning is the text, block by block.
    if (proven.every(({ thinking }) => textOr(thinking, '') === '')) say('thinking', reasoningText ?? reasoning)
    for (const block of proven) sign(block)
  }

  /** What the vendor wants back with the text of a response without calls, which have their own: empty reasoning carries it. */
  function carry(extra: Json | undefined): void {
    if (isObject(extra) && calls.size === 0 && context.echo?.[showsReasoning] === true) add('thinking', { extra })
  }

  function cite(annotations: Json | undefined): void {
    const block = lastText
    const citations = citationsOf(annotations)
    if (block === undefined || citations.length === 0) return
    for (const citation of citations) block.citations.push(citation)
    // Citations that come after their block was sent are in the whole message only.
    if (block !== blocks[at] || !block.isBegun) return
    for (const citation of citations) writeDelta({ type: 'citations_delta', citation })
  }

  /** Anthropic's models make none, but its clients keep what they do not know. */
  function show(images: Json | undefined): void {
    for (const { url, bytes, extra } of outputImages(images))
      add('image', {
        extra,
        source: bytes === null ? { type: 'url', url } : { type: 'base64', media_type: bytes.type, data: bytes.data },
      })
  }

  function call(piece: JsonObject): void {
    const { index: place, id, function: fn, extra_content: extra } = piece
    const { name, arguments: args } = isObject(fn) ? fn : {}
    const block =
      calls.get(place) ??
      add('tool', { id: textOr(id, '') || `toolu_${context.id}_${blocks.length}`, extra: isObject(extra) ? extra : null })
    calls.set(place, block)
    block.name += textOr(name, '')
    grow(block, textOr(args, ''))
    block.counter.pushText(textOr(args, ''))
  }

  function writeDelta(delta: JsonObject): void {
    write({ type: 'content_block_delta', index: at, delta })
  }

  function open(block: Block): void {
    block.isBegun = true
    write({ type: 'content_block_start', index: at, content_block: openingOf(block) })
    for (const citation of block.citations) writeDelta({ type: 'citations_delta', citation })
  }

  function flush(block: Block): void {
    if (block.unsent === '' || block.kind === 'redacted' || block.kind === 'image' || isHidden(block)) return
    const [type, field] = deltas[block.kind]
    writeDelta({ type, [field]: block.unsent })
    block.unsent = ''
  }

  function close(block: Block): void {
    if (block.kind === 'thinking') writeDelta({ type: 'signature_delta', signature: proofOf(block) })
    write({ type: 'content_block_stop', index: at })
  }

  /** Sends what may be sent: the open block as far as it is known, and the next ones once it is complete. */
  function advance(isEnd: boolean): void {
    for (let block = blocks[at]; block !== undefined; block = blocks[at]) {
      begin()
      if (!block.isBegun && !isEnd && !mayBegin(block)) return
      if (!block.isBegun) open(block)
      flush(block)
      const hasNext = at + 1 < blocks.length
      if (!isEnd && !(hasNext && isComplete(block))) return
      close(block)
      at += 1
    }
  }

  return {
    chunk({ choices }) {
      const [choice] = objectsIn(choices)
      if (choice === undefined) return taken()
      const delta = isObject(choice['delta']) ? choice['delta'] : {}
      const { content, refusal, annotations, images, tool_calls: pieces, extra_content: extra } = delta
      think(delta)
      say('text', content)
      advance(false)
      cite(annotations)
      say('text', refusal)
      show(images)
      refuses ||= typeof refusal === 'string' && refusal !== ''
      for (const piece of objectsIn(pieces)) call(piece)
      carry(extra)
      advance(false)
      finish = choice['finish_reason'] ?? finish
      stoppedBy = stopIn(choice) ?? stoppedBy
      return taken()
    },
    end(usage) {
      begin()
      advance(true)
      write({ type: 'message_delta', delta: ending(), usage: messageUsage(usage) })
      write({ type: 'message_stop' })
      return taken()
    },
    whole: (usage) => ({
      ...messageObject(context, {
        content: blocks.map((block) => wholeOf(block, { thinking: isHidden(block) ? '' : block.text, signature: proofOf(block) }, inner)),
        usage,
      }),
      ...ending(),
    }),
    get count() {
      return count
    },
    get parts() {
      return blocks.length
    },
    inner,
  }
}

/** The stop sequence that a vendor names, as vLLM (`stop_reason`) or SGLang (`matched_stop`) does; a number is a token. */
function stopIn({ stop_reason: stop, matched_stop: matched }: JsonObject): string | undefined {
  const sequence = stop ?? matched
  return typeof sequence === 'string' ? sequence : undefined
}

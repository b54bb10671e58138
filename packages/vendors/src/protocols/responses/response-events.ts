import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { innerCharactersMax, JsonCounter, JsonTally } from '../../core/json-counter.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'
import { carriedText } from '../shared/carried-reasoning.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { customNames, fromArguments } from '../shared/custom-tools.ts'
import { outputImages } from '../shared/output-images.ts'
import { annotationEvents, closingEvents, deltaEvent, type Item, type ItemKind, itemId, itemObject, openingEvents } from './items.ts'
import { createFlatNames } from './namespaces.ts'
import { discoveredToolsKey, endingOf, responseObject, returnsReasoning } from './response-object.ts'
import { hasClientSearch, searchName } from './tool-search.ts'

/** Creates the events of one response from the chunks of the chat that serves it. */
export interface ResponseEvents {
  /** A `chat.completion.chunk`. */
  chunk(chunk: JsonObject): readonly JsonObject[]
  /** The remaining events after the chat; the last one has the whole response. */
  end(usage: Usage | null): readonly JsonObject[]
  /** Number of events so far. */
  readonly count: number
  /** Number of items so far. */
  readonly parts: number
  /** Characters of all items so far. */
  readonly characters: number
  /** The JSON in the arguments so far of the calls whose arguments are parsed. */
  readonly inner: JsonTally
}

interface OpenCall {
  readonly callId: string
  name: string
  /** Arguments that its item does not have yet. */
  unsent: string
  extra: JsonObject | null
  /** The place of its item; `null` = its name may not be whole, which it is once its arguments come. */
  index: number | null
}

export function createResponseEvents(context: ResponseContext): ResponseEvents {
  const items: Item[] = []
  /** Calls by their places in the chat. They may be streamed in parallel, so each stays open to the end. */
  const calls = new Map<Json | undefined, OpenCall>()
  /** Those that have no item yet, in the order of their beginnings. */
  const begun: OpenCall[] = []
  const tools = [...objectsIn(context.echo?.['tools']), ...objectsIn(context.echo?.[discoveredToolsKey])]
  const names = createFlatNames(tools)
  const custom = customNames(names.tools(tools))
  const searches = hasClientSearch(tools)
  const wantsReasoning = context.echo?.[returnsReasoning] === true
  /** Arguments of custom tools' calls, whose text can be read only when they are complete. */
  const wrapped = new Map<number, string>()
  const inner = new JsonTally(innerCharactersMax)
  let characters = 0
  /** Those of calls that have no item yet. */
  let waiting = 0
  /** Count the arguments that are parsed: those of custom tools and of searches. */
  const counters = new Map<number, JsonCounter>()
  /** The message or reasoning that is being written. */
  let open: number | null = null
  /** What the vendor signed of the reasoning that is being written. */
  let signedBlocks: JsonObject[] = []
  let finishReason: Json | undefined
  let count = 0
  let written: JsonObject[] = []

  function write(type: string, fields: JsonObject): void {
    written.push({ type, ...fields, sequence_number: count })
    count += 1
  }

  function taken(): readonly JsonObject[] {
    const events = written
    written = []
    return events
  }

  function begin(): void {
    if (count > 0) return
    const response = responseObject(context, { status: 'in_progress', output: [], usage: null })
    write('response.created', { response })
    write('response.in_progress', { response })
  }

  function add(kind: ItemKind, own: Partial<Item> = {}): number {
    beginCalls()
    return addItem(kind, own)
  }

  function addItem(kind: ItemKind, own: Partial<Item>): number {
    closeOpen()
    const index = items.length
    const item: Item = { kind, id: itemId(kind, context.id, index), text: '', callId: '', name: '', ...own }
    items.push(item)
    for (const event of openingEvents(item, index)) write(...event)
    return index
  }

  function close(index: number): void {
    const item = items[index]
    if (item === undefined) return
    const args = wrapped.get(index)
    wrapped.delete(index)
    if (args !== undefined) grow(index, fromArguments(args))
    // Clients parse them. The limit may have cut them.
    if (item.kind === 'call' && item.text === '' && finishReason !== 'length') grow(index, '{}')
    for (const event of closingEvents(item, index)) write(...event)
  }

  function closeOpen(): void {
    const item = open === null ? undefined : items[open]
    if (item?.kind === 'reasoning' && (wantsReasoning || signedBlocks.length > 0))
      item.encrypted = carriedText(signedBlocks.length === 0 ? {} : { blocks: signedBlocks })
    signedBlocks = []
    if (open !== null) close(open)
    open = null
  }

  function grow(index: number, delta: string): void {
    const item = items[index]
    if (item === undefined || delta === '') return
    item.text += delta
    characters += delta.length
    const event = deltaEvent(item, index, delta)
    if (event !== null) write(...event)
  }

  function say(kind: ItemKind, delta: Json | undefined): void {
    if (typeof delta !== 'string' || delta === '') return
    if (open === null || items[open]?.kind !== kind) open = add(kind)
    grow(open, delta)
  }

  /** What the vendor signed of its reasoning belongs to those that are being written. */
  function sign(blocks: readonly JsonObject[]): void {
    if (blocks.length === 0) return
    if (open === null || items[open]?.kind !== 'reasoning') open = add('reasoning')
    for (const block of blocks) signedBlocks.push(block)
  }

  /** What the vendor wants back with the text of a response without calls, which have their own: empty reasoning carries it. */
  function carry(extra: Json | undefined): void {
    if (!isObject(extra) || calls.size > 0) return
    const index = add('reasoning')
    const item = items[index]
    if (item !== undefined) item.encrypted = carriedText({ extra })
    close(index)
  }

  /** Chats have the members of a citation a level deeper. */
  function cite(value: Json | undefined): void {
    const item = open === null ? undefined : items[open]
    if (open === null || item?.kind !== 'text' || !Array.isArray(value)) return
    const annotations = value
      .filter(isObject)
      .flatMap(({ type, url_citation: cited }) => (isObject(cited) ? [{ type: type ?? '', ...cited }] : []))
    for (const event of annotationEvents(item, open, annotations)) write(...event)
    if (annotations.length === 0) return
    item.annotations ??= []
    for (const annotation of annotations) item.annotations.push(annotation)
  }

  /** An item of an image has its bytes; the address of another is written as text. */
  function show(images: Json | undefined): void {
    for (const { url, bytes, extra } of outputImages(images)) {
      if (bytes === null) say('text', `![](${url})`)
      else close(add('image', { text: bytes.data, mediaType: bytes.type, ...(extra === null ? {} : { extra }) }))
    }
  }

  function kindOfCall(name: string): ItemKind {
    if (searches && name === searchName) return 'search'
    return custom.has(name) ? 'custom' : 'call'
  }

  function call(piece: Json): void {
    if (!isObject(piece)) return
    const { index: place, id, function: fn, extra_content: extra } = piece
    const { name, arguments: args } = isObject(fn) ? fn : {}
    const called = calls.get(place) ?? newCall(place, textOf(id))
    if (called.index === null) called.name += textOf(name)
    if (isObject(extra)) called.extra = extra
    called.unsent += textOf(args)
    if (called.index === null) waiting += textOf(args).length
    if (called.index === null && called.name !== '' && called.unsent !== '') beginCalls(begun.indexOf(called) + 1)
    writeCall(called)
  }

  function newCall(place: Json | undefined, callId: string): OpenCall {
    closeOpen()
    const called: OpenCall = { callId, name: '', unsent: '', extra: null, index: null }
    calls.set(place, called)
    begun.push(called)
    return called
  }

  /** Items of the first of the calls that have none, or of all. */
  function beginCalls(many = begun.length): void {
    for (const called of begun.splice(0, many)) {
      const { callId, name, unsent } = called
      waiting -= unsent.length
      called.index = addItem(kindOfCall(name), { callId, name, ...names.grouped.get(name) })
      writeCall(called)
    }
  }

  function writeCall(called: OpenCall): void {
    const { index, extra, unsent } = called
    const item = index === null ? undefined : items[index]
    if (item === undefined || index === null) return
    called.unsent = ''
    if (extra !== null) item.extra = extra
    if (item.kind === 'custom' || item.kind === 'search') countInner(index, unsent)
    if (item.kind === 'custom') wrap(index, unsent)
    else grow(index, unsent)
  }

  function wrap(index: number, text: string): void {
    wrapped.set(index, (wrapped.get(index) ?? '') + text)
    characters += text.length
  }

  function countInner(index: number, text: string): void {
    const counter = counters.get(index) ?? new JsonCounter(inner)
    counters.set(index, counter)
    counter.pushText(text)
  }

  return {
    chunk({ choices }) {
      begin()
      const [choice] = Array.isArray(choices) ? choices : []
      if (!isObject(choice)) return taken()
      const delta = isObject(choice['delta']) ? choice['delta'] : {}
      const { content, reasoning_content: reasoningText, reasoning, thinking_blocks: signed, refusal, annotations } = delta
      const { images, tool_calls: pieces, extra_content: extra } = delta
      say('reasoning', reasoningText ?? reasoning)
      sign(objectsIn(signed))
      say('text', content)
      cite(annotations)
      show(images)
      say('refusal', refusal)
      for (const piece of Array.isArray(pieces) ? pieces : []) call(piece)
      carry(extra)
      finishReason = choice['finish_reason'] ?? finishReason
      return taken()
    },
    end(usage) {
      begin()
      closeOpen()
      beginCalls()
      for (const { index } of calls.values()) if (index !== null) close(index)
      const { status, reason = null } = endingOf(finishReason)
      const response = responseObject(context, { status, reason, output: items.map(itemObject), usage })
      write(`response.${status}`, { response })
      return taken()
    },
    get count() {
      return count
    },
    get parts() {
      return items.length + begun.length
    },
    inner,
    get characters() {
      return characters + waiting
    },
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

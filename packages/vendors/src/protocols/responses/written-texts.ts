import { asText, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { deltasOf, objectsIn } from '../shared/chat-parts.ts'
import { type TextSoFar, WrittenOutput } from './written-output.ts'

/** The kinds of texts in the items of a response. */
type TextKind = 'text' | 'refusal' | 'summary' | 'reasoning'

/** What an event has of a text. */
interface TextEvent {
  readonly kind: TextKind
  /** The member with the text. */
  readonly member: string
  readonly isWhole: boolean
}

const pieceOf = (kind: TextKind): TextEvent => ({ kind, member: 'delta', isWhole: false })
const wholeOf = (kind: TextKind, member = 'text'): TextEvent => ({ kind, member, isWhole: true })

/** OpenAI API reference, streaming events of "Responses", read 2026-11-21. */
const textEvents: Readonly<Record<string, TextEvent>> = {
  'response.output_text.delta': pieceOf('text'),
  'response.output_text.done': wholeOf('text'),
  'response.refusal.delta': pieceOf('refusal'),
  'response.refusal.done': wholeOf('refusal', 'refusal'),
  'response.reasoning_summary_text.delta': pieceOf('summary'),
  'response.reasoning_summary_text.done': wholeOf('summary'),
  'response.reasoning_text.delta': pieceOf('reasoning'),
  'response.reasoning_text.done': wholeOf('reasoning'),
}

/** The members of a chat's message for each kind of text. */
const fields: Readonly<Record<TextKind, string>> = {
  text: 'content',
  refusal: 'refusal',
  summary: 'reasoning_content',
  reasoning: 'reasoning_content',
}

/** The place of a text in the output; empty: the server names none. */
function placeOf({ output_index: index, item_id: id = '' }: JsonObject, part: Json | undefined): string {
  const place = asText(index ?? id)
  return place === '' ? '' : `${place}.${asText(part ?? 0)}`
}

/** A text that has come whole. */
interface WholeText {
  readonly kind: TextKind
  /** Its place in the item. */
  readonly part: number
  readonly whole: string
}

const kinds: readonly TextKind[] = ['summary', 'reasoning', 'text', 'refusal']
const reasoning: readonly TextKind[] = ['summary', 'reasoning']

/** The text that grows: the next delta usually belongs to it, too. */
interface OpenText {
  readonly type: Json | undefined
  readonly index: Json | undefined
  readonly part: Json | undefined
  readonly kind: TextKind
  readonly written: TextSoFar
}

/** The texts of a response as those of a chat. */
export class WrittenTexts {
  readonly #output = new WrittenOutput()
  /** By their places. */
  readonly #texts: Readonly<Record<TextKind, Map<string, TextSoFar>>> = {
    text: new Map(),
    refusal: new Map(),
    summary: new Map(),
    reasoning: new Map(),
  }
  /** Of each kind, the one that came last. */
  readonly #last: Partial<Record<TextKind, TextSoFar>> = {}
  #open: OpenText | null = null

  /** `null`: the event has none. */
  event(event: JsonObject): readonly JsonObject[] | null {
    const { type, output_index: index, summary_index: summary, content_index: part = summary, delta } = event
    const open = this.#open
    if (open !== null && type === open.type && index === open.index && part === open.part && typeof delta === 'string')
      return this.#grow(open, delta)
    const known = lookUp(textEvents, textOr(type, ''))
    if (known === undefined) return null
    const { kind, member, isWhole } = known
    const text = textOr(event[member], '')
    const place = placeOf(event, part)
    if (isWhole) return this.#shown([{ kind, part: 0, whole: text }]).flatMap(({ whole }) => this.#rest(kind, place, whole))
    const written = this.#texts[kind].get(place) ?? this.#output.begin()
    this.#keep(kind, place, written)
    // Without a number of its place, the next delta may be of another text.
    this.#open = index === undefined ? null : { type, index, part, kind, written }
    return this.#grow({ kind, written }, text)
  }

  /** An item that is whole: what has not come of it. */
  end(item: JsonObject, place: Json | undefined): readonly JsonObject[] {
    const at = { output_index: place, item_id: item['id'] }
    return this.#shown(textsOf(item)).flatMap(({ kind, part, whole }) => this.#rest(kind, placeOf(at, part), whole))
  }

  /** The texts of the whole response, wherever they are in it. */
  endAll(output: readonly JsonObject[]): readonly JsonObject[] {
    const texts = this.#shown(output.flatMap(textsOf))
    return kinds.flatMap((kind) => {
      const wholes = texts.flatMap((text) => (text.kind === kind ? [text.whole] : []))
      const before = [...this.#texts[kind].values()].map(({ text }) => text)
      return deltasOf(fields[kind], this.#output.rest({ text: before.join('') }, wholes.join('')))
    })
  }

  #grow({ kind, written }: Pick<OpenText, 'kind' | 'written'>, text: string): readonly JsonObject[] {
    this.#output.grow(written, text)
    return deltasOf(fields[kind], text)
  }

  #keep(kind: TextKind, place: string, written: TextSoFar): void {
    if (this.#output.isFull) return
    this.#texts[kind].set(place, written)
    this.#last[kind] = written
  }

  #rest(kind: TextKind, place: string, whole: string): readonly JsonObject[] {
    const known = this.#texts[kind].get(place)
    if (known === undefined && this.#isElsewhere(kind, whole)) return []
    const written = known ?? this.#output.begin()
    const rest = this.#output.rest(written, whole)
    if (rest !== '') this.#keep(kind, place, written)
    return deltasOf(fields[kind], rest)
  }

  /** Some servers send deltas without a place, or with another one than the whole text has. */
  #isElsewhere(kind: TextKind, whole: string): boolean {
    return this.#texts[kind].has('') || this.#last[kind]?.text === whole
  }

  /** Of reasoning that comes in two forms, the one that has come before, or the first. */
  #shown(texts: readonly WholeText[]): readonly WholeText[] {
    const begun = reasoning.filter((kind) => this.#texts[kind].size > 0)
    const first = texts.find(({ kind, whole }) => reasoning.includes(kind) && whole !== '')?.kind
    return texts.filter(({ kind }) => !reasoning.includes(kind) || (begun.length === 0 ? kind === first : begun.includes(kind)))
  }
}

const numbered = (kind: TextKind, texts: readonly string[]): readonly WholeText[] => texts.map((whole, part) => ({ kind, part, whole }))

/** The texts of an item, in order. */
function textsOf({ type, content, summary }: JsonObject): readonly WholeText[] {
  if (type !== 'reasoning') return objectsIn(content).map(textOf)
  return [
    ...numbered(
      'summary',
      objectsIn(summary).map(({ text }) => textOr(text, '')),
    ),
    ...numbered(
      'reasoning',
      objectsIn(content).map(({ text }) => textOr(text, '')),
    ),
  ]
}

function textOf({ text, refusal }: JsonObject, part: number): WholeText {
  return refusal === undefined ? { kind: 'text', part, whole: textOr(text, '') } : { kind: 'refusal', part, whole: textOr(refusal, '') }
}

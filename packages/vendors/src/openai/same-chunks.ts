import type { PassedEvent } from '../dialect.ts'

/** Members of a delta that hold the text that changes from chunk to chunk. */
const textMembers = ['"content":"', '"reasoning_content":"', '"reasoning":"'] as const
/** Random text that OpenAI adds to each chunk, to hide its length (OpenAI API reference, `include_obfuscation`, a stored copy read 2026-11-22). */
const paddingMember = '"obfuscation":"'

/** Chunks that may be compared in vain before comparing is given up: some servers change more than the text. */
const missesMax = 8

/** What all chunks alike have: the JSON before the text, between text and padding, and behind the padding. */
interface Pattern {
  readonly before: string
  readonly between: string
  /** `null`: they have no padding. */
  readonly after: string | null
}

const plainEvent: PassedEvent = { usage: null, text: '', finished: false, usageOnly: false, failure: null, callsTools: false }

/**
 * Reads the chunks of one stream. Nearly all of them are the chunk before with another text, so each is compared with it, and only one that
 * differs in more than its text is parsed.
 */
export function readingSameChunks(parse: (data: string) => PassedEvent): (data: string) => PassedEvent {
  const reader = new ChunkReader(parse)
  return (data) => reader.read(data)
}

class ChunkReader {
  readonly #parse: (data: string) => PassedEvent
  #pattern: Pattern | null = null
  #misses = 0

  constructor(parse: (data: string) => PassedEvent) {
    this.#parse = parse
  }

  read(data: string): PassedEvent {
    const text = this.#pattern === null ? null : textWithin(data, this.#pattern)
    if (text !== null) {
      this.#misses = 0
      return { ...plainEvent, text }
    }
    const event = this.#parse(data)
    if (this.#misses < missesMax) this.#learn(data, event)
    return event
  }

  #learn(data: string, event: PassedEvent): void {
    if (!isPlain(event)) return
    this.#misses += 1
    this.#pattern = null
    for (const member of textMembers) {
      const pattern = patternOf(data, member)
      if (pattern !== null && this.#holds(pattern)) {
        this.#pattern = pattern
        return
      }
    }
  }

  /** Whether the place that was found is the one that the text is read from. */
  #holds({ before, between, after }: Pattern): boolean {
    const event = this.#parse(`${before}${probe}${between}${after ?? ''}`)
    return isPlain(event) && event.text === probe
  }
}

const probe = 'probe'

/** It says nothing but its text. */
function isPlain({ usage, finished, usageOnly, failure, callsTools, isEmpty }: PassedEvent): boolean {
  return usage === null && !finished && !usageOnly && failure === null && callsTools === false && isEmpty !== true
}

/** `null`: the chunk does not have the member, or has it twice. */
function patternOf(data: string, member: string): Pattern | null {
  const at = data.indexOf(member)
  if (at === -1 || data.indexOf(member, at + 1) !== -1) return null
  const start = at + member.length
  const end = endOfText(data, start)
  if (end === -1) return null
  const paddedAt = data.indexOf(paddingMember, end)
  if (paddedAt === -1) return { before: data.slice(0, start), between: data.slice(end), after: null }
  const paddingStart = paddedAt + paddingMember.length
  const paddingEnd = data.indexOf('"', paddingStart)
  return { before: data.slice(0, start), between: data.slice(end, paddingStart), after: data.slice(paddingEnd) }
}

/** The text of a chunk that has the pattern. `null`: it does not have it. */
function textWithin(data: string, { before, between, after }: Pattern): string | null {
  if (!data.startsWith(before)) return null
  const end = endOfText(data, before.length)
  if (end === -1 || !data.startsWith(between, end)) return null
  const rest = end + between.length
  const isSame = after === null ? rest === data.length : data.endsWith(after) && data.indexOf('"', rest) === data.length - after.length
  return isSame ? textOf(data.slice(before.length, end)) : null
}

/** Where the quote stands that ends a JSON text: one behind an even number of backslashes. -1: there is none. */
function endOfText(data: string, start: number): number {
  for (let end = data.indexOf('"', start); end !== -1; end = data.indexOf('"', end + 1)) {
    let first = end
    while (data[first - 1] === '\\') first -= 1
    if ((end - first) % 2 === 0) return end
  }
  return -1
}

/** `null`: it is none. */
function textOf(written: string): string | null {
  if (!written.includes('\\')) return written
  try {
    const text: unknown = JSON.parse(`"${written}"`)
    return typeof text === 'string' ? text : null
  } catch {
    return null
  }
}

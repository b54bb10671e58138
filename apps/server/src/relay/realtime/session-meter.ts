import type { Delegated, SessionEvent, Usage } from '@sluice/vendors/dialect'
import { addUsage, noUsage } from '@sluice/vendors/no-usage'
import { estimateTokens } from '../pricing/count-tokens.ts'
import { pictureTokens } from '../pricing/picture-tokens.ts'

/**
 * LLM tokens of a second of sound: what a person speaks, and what the model does (OpenAI, "Managing costs" of the realtime API, a stored copy
 * read 2026-11-21: one for 100 ms, and one for 50).
 */
const tokensPerSecond = { in: 10, out: 20 } as const
/** Sound of a session that has not said how it is sent: 16 bits at 24 kHz. */
const pcmBytesPerSecond = 48_000

/** What of a conversation an answer reads. */
interface Reading {
  /** Tokens of words and pictures, and of sound, that no answer has read yet. */
  readonly text: number
  readonly sound: number
  /** Tokens that an earlier answer has read or written: the vendor has them in its cache. */
  readonly known: number
}

const nothingNew: Reading = { text: 0, sound: 0, known: 0 }

/**
 * Counts what a realtime session has used while it runs. What the vendor tells at the end of an answer takes the place of what was reckoned
 * for it; until then an answer that was begun is reckoned by what it has read and what of it came.
 */
export class SessionMeter {
  readonly #model: string
  /** What the vendor has told, and what others did for the session. */
  #told: Usage = noUsage
  #settingsTokens = 0
  #transcriber: string | null = null
  #bytesPerSecond = { in: pcmBytesPerSecond, out: pcmBytesPerSecond }
  /** What waits to be read by the next answer. */
  #waiting: Reading = nothingNew
  /** Milliseconds of sound that wait to be committed, and where in it somebody speaks. */
  #soundMs = 0
  #speech: { readonly fromMs: number | null; readonly toMs: number | null } = { fromMs: null, toMs: null }
  /** Milliseconds that were committed and may be written down. */
  #spokenMs = 0
  #isTranscribing = false
  /** Answers that were begun and are not over, what they have read, and tokens of what came. */
  #running = 0
  #reading: Reading = nothingNew
  #outText = 0
  #outMs = 0

  constructor(model: string) {
    this.#model = model
  }

  /** What is to be paid if the session ended now. */
  get used(): Usage {
    const told = this.#isTranscribing ? addUsage(this.#told, this.#transcript({ ...noUsage, audioMs: this.#spokenMs })) : this.#told
    return this.#running === 0 ? told : merged(told, this.#reckoned(this.#reading))
  }

  /** The same with what waits to be read: what has to be reserved. */
  get expected(): Usage {
    const { text, sound, known } = this.#waiting
    const waits = text + sound > 0 || this.#soundMs > 0
    if (!waits) return this.used
    const fresh = { text, sound: sound + soundTokens(this.#soundMs, tokensPerSecond.in), known: this.#running > 0 ? 0 : known }
    return merged(this.used, usageOf(fresh, noUsage))
  }

  /** Whether an answer is being made that nobody has counted yet. */
  get isOpen(): boolean {
    return this.#running > 0 || this.#isTranscribing
  }

  take(event: SessionEvent): void {
    switch (event.kind) {
      case 'settings':
        this.#set(event)
        return
      case 'input':
        this.#hear(event)
        return
      case 'sound':
        this.#soundMs += (event.bytes / this.#bytesPerSecond.in) * 1000
        return
      case 'speech':
        this.#speech = {
          fromMs: event.fromMs ?? this.#speech.fromMs,
          toMs: event.toMs ?? (event.fromMs === undefined ? this.#speech.toMs : null),
        }
        return
      case 'committed':
        this.#commit()
        return
      case 'cleared':
        this.#soundMs = 0
        return
      case 'begun':
        this.#begin()
        return
      case 'output':
        this.#output(event)
        return
      case 'done':
        this.#end(event.usage)
        return
      case 'transcribing':
        this.#isTranscribing = true
        return
      case 'transcribed':
        this.#transcribed(event.usage)
    }
  }

  #set({ text, unread, bytesInPerSecond, bytesOutPerSecond, transcriber }: SessionEvent & { readonly kind: 'settings' }): void {
    if (text !== undefined) this.#settingsTokens = wordTokens(text, unread)
    this.#bytesPerSecond = { in: bytesInPerSecond ?? this.#bytesPerSecond.in, out: bytesOutPerSecond ?? this.#bytesPerSecond.out }
    this.#transcriber = transcriber ?? this.#transcriber
  }

  #hear({ text, unread, bytes, pictures }: SessionEvent & { readonly kind: 'input' }): void {
    const seen = pictures.reduce<number>((sum, picture) => sum + pictureTokens(picture, this.#model), 0)
    this.#wait(wordTokens(text, unread) + seen, soundTokens((bytes / this.#bytesPerSecond.in) * 1000, tokensPerSecond.in))
  }

  #wait(text: number, sound: number): void {
    this.#waiting = { ...this.#waiting, text: this.#waiting.text + text, sound: this.#waiting.sound + sound }
  }

  /** Of sound that is listened to all the time, only what was spoken is read. */
  #commit(): void {
    const { fromMs, toMs } = this.#speech
    const ms = fromMs === null || toMs === null ? this.#soundMs : Math.min(this.#soundMs, Math.max(0, toMs - fromMs))
    this.#speech = { fromMs: null, toMs: null }
    this.#soundMs = 0
    this.#spokenMs += ms
    this.#wait(0, soundTokens(ms, tokensPerSecond.in))
  }

  #begin(): void {
    // Some vendors never say that sound was committed.
    if (this.#soundMs > 0 && this.#waiting.sound === 0 && this.#waiting.text === 0) this.#commit()
    const { text, sound, known } = this.#waiting
    const settings = known === 0 && this.#running === 0 ? this.#settingsTokens : 0
    this.#reading = {
      text: this.#reading.text + text + settings,
      sound: this.#reading.sound + sound,
      known: this.#reading.known + known,
    }
    this.#waiting = { text: 0, sound: 0, known: known + text + sound + settings }
    this.#running += 1
  }

  #output({ text, unread, bytes }: SessionEvent & { readonly kind: 'output' }): void {
    if (this.#running === 0) this.#begin()
    if (text !== '') this.#outText += text.length < 4 ? 1 : wordTokens(text, unread)
    this.#outMs += (bytes / this.#bytesPerSecond.out) * 1000
  }

  #end(usage: Usage | null): void {
    const reckoned = this.#reckoned(this.#reading)
    const made = usage === null || usage.isSuspect ? { ...reckoned, isSuspect: usage?.isSuspect ?? false } : usage
    const { promptTokens, completionTokens } = made
    this.#told = merged(this.#told, made)
    this.#running = Math.max(0, this.#running - 1)
    if (this.#running > 0) return
    this.#reading = nothingNew
    this.#outText = 0
    this.#outMs = 0
    this.#waiting = { ...this.#waiting, known: promptTokens + completionTokens }
  }

  #transcribed(usage: Usage | null): void {
    const counted = usage === null || usage.isSuspect ? { ...noUsage, audioMs: Math.ceil(this.#spokenMs) } : usage
    this.#told = addUsage(this.#told, this.#transcript(counted))
    this.#isTranscribing = false
    this.#spokenMs = 0
  }

  /** What is written down is paid at the price of the model that writes. */
  #transcript(usage: Usage): Usage {
    const models: Delegated['models'] = [this.#transcriber ?? this.#model, this.#model]
    return { ...noUsage, delegated: [{ models, usage: { ...usage, audioMs: Math.ceil(usage.audioMs) } }] }
  }

  #reckoned(reading: Reading): Usage {
    const audioOutputTokens = soundTokens(this.#outMs, tokensPerSecond.out)
    return usageOf(reading, { ...noUsage, completionTokens: this.#outText + audioOutputTokens, audioOutputTokens })
  }
}

/** Bytes of an unread word that are reckoned as a token: a character of other scripts than Latin has three, and is about a token. */
const unreadBytesPerToken = 3

/** @param unread bytes that follow the text and were not read */
function wordTokens(text: string, unread: number): number {
  return estimateTokens(text) + Math.ceil(unread / unreadBytesPerToken)
}

function soundTokens(ms: number, perSecond: number): number {
  return Math.ceil((ms * perSecond) / 1000)
}

function usageOf({ text, sound, known }: Reading, output: Usage): Usage {
  return { ...output, promptTokens: text + sound + known, audioInputTokens: sound, cachedTokens: known }
}

/** Two counts in one. A session that nobody has counted yet has nothing to add. */
function merged(first: Usage, second: Usage): Usage {
  return first === noUsage ? second : addUsage(first, second)
}

import { addUsage, noUsage } from '@sluice/vendors/core/no-usage'
import type { SessionEvent } from '@sluice/vendors/core/session'
import type { Delegated, Usage } from '@sluice/vendors/core/usage'
import { isFarAbove } from '../billing/count-tolerance.ts'
import { isBeyondModel } from '../billing/judge-usage.ts'
import { estimateTokens } from '../pricing/count-tokens.ts'
import { countImageTokens } from '../pricing/image-tokens.ts'

/**
 * LLM tokens per second of audio: input and output (OpenAI, "Managing costs" of the realtime API, a stored copy read 2026-11-21: one per
 * 100 ms, and one per 50 ms).
 */
const tokensPerSecond = { in: 10, out: 20 } as const
/** How many times as long as the audio that was sent a transcript may be, and how much longer. */
const transcriptTimesMax = 5
const transcriptMoreMs = 10_000
/** More items than any response has; of later ones only the pieces count. */
const itemsMax = 10_000
/** Audio of a session that has not set a format: 16 bits at 24 kHz. */
const pcmBytesPerSecond = 48_000

/** The input of a response. */
interface Reading {
  /** Tokens of text and images, and of audio, that no response has read yet. */
  readonly text: number
  readonly audio: number
  /** Tokens that an earlier response read or wrote: the vendor has them in its cache. */
  readonly known: number
}

const nothingNew: Reading = { text: 0, audio: 0, known: 0 }

/**
 * Counts the usage of a realtime session while it runs. The vendor's usage at the end of a response replaces our estimate; until then a
 * running response is estimated by its input and the output so far.
 */
export class SessionMeter {
  readonly #model: string
  /** Usage reported by the vendor, and delegated usage. */
  #reported: Usage = noUsage
  #settingsTokens = 0
  #transcriber: string | null = null
  #bytesPerSecond = { in: pcmBytesPerSecond, out: pcmBytesPerSecond }
  /** Input for the next response. */
  #waiting: Reading = nothingNew
  /** Milliseconds of audio that is not committed, and where speech begins in it. */
  #audioMs = 0
  #speech: { readonly fromMs: number | null; readonly toMs: number | null } = { fromMs: null, toMs: null }
  /** Committed milliseconds that may be transcribed. */
  #spokenMs = 0
  /** Milliseconds of all audio that was sent, and what the vendor counted of its transcripts. */
  #inputAudioMs = 0
  #written: Usage = noUsage
  /** Running responses, their input, and tokens of their output. */
  #running = 0
  #reading: Reading = nothingNew
  #outText = 0
  #outMs = 0
  /** Items of these responses of which something was counted. */
  readonly #counted = new Set<string>()

  constructor(model: string) {
    this.#model = model
  }

  /** The usage to charge if the session ended now. */
  get used(): Usage {
    const unreportedMs = this.#unreportedMs
    const reported = unreportedMs > 0 ? addUsage(this.#reported, this.#transcript({ ...noUsage, audioMs: unreportedMs })) : this.#reported
    return this.#running === 0 ? reported : merged(reported, this.#reckoned(this.#reading))
  }

  /** The session's usage plus the input that waits: what must be reserved. */
  get expected(): Usage {
    const { text, audio, known } = this.#waiting
    const waits = text + audio > 0 || this.#audioMs > 0
    if (!waits) return this.used
    const fresh = { text, audio: audio + audioTokens(this.#audioMs, tokensPerSecond.in), known: this.#running > 0 ? 0 : known }
    return merged(this.used, usageOf(fresh, noUsage))
  }

  /** Whether a response is running that was not counted yet. */
  get isOpen(): boolean {
    return this.#running > 0 || this.#unreportedMs > 0
  }

  /** Milliseconds that are being transcribed: the vendor writes and bills the transcript, whether or not anybody waits for it. */
  get #unreportedMs(): number {
    return this.#transcriber === null ? 0 : this.#spokenMs
  }

  take(event: SessionEvent): void {
    switch (event.kind) {
      case 'settings':
        this.#set(event)
        return
      case 'input':
        this.#hear(event)
        return
      case 'audio':
        this.#audioMs += this.#addInputAudio(event.bytes)
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
        this.#audioMs = 0
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
        // Some vendors do not report that audio was committed.
        if (this.#spokenMs === 0 && this.#audioMs > 0) this.#commit()
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

  #hear({ text, unread, bytes, images }: SessionEvent & { readonly kind: 'input' }): void {
    const seen = images.reduce<number>((sum, image) => sum + countImageTokens(image, this.#model), 0)
    this.#wait(wordTokens(text, unread) + seen, audioTokens(this.#addInputAudio(bytes), tokensPerSecond.in))
  }

  /** Milliseconds of audio that came. */
  #addInputAudio(bytes: number): number {
    const ms = (bytes / this.#bytesPerSecond.in) * 1000
    this.#inputAudioMs += ms
    return ms
  }

  #wait(text: number, audio: number): void {
    this.#waiting = { ...this.#waiting, text: this.#waiting.text + text, audio: this.#waiting.audio + audio }
  }

  /** With voice detection, only the detected speech becomes input. */
  #commit(): void {
    const { fromMs, toMs } = this.#speech
    const ms = fromMs === null || toMs === null ? this.#audioMs : Math.min(this.#audioMs, Math.max(0, toMs - fromMs))
    this.#speech = { fromMs: null, toMs: null }
    this.#audioMs = 0
    if (this.#transcriber !== null) this.#spokenMs += ms
    this.#wait(0, audioTokens(ms, tokensPerSecond.in))
  }

  #begin(): void {
    // Some vendors do not report that audio was committed.
    if (this.#audioMs > 0 && this.#waiting.audio === 0 && this.#waiting.text === 0) this.#commit()
    const { text, audio, known } = this.#waiting
    const settings = known === 0 && this.#running === 0 ? this.#settingsTokens : 0
    this.#reading = {
      text: this.#reading.text + text + settings,
      audio: this.#reading.audio + audio,
      known: this.#reading.known + known,
    }
    this.#waiting = { text: 0, audio: 0, known: known + text + audio + settings }
    this.#running += 1
  }

  #output({ text, unread, bytes, item = '', isWhole, toolOutput }: SessionEvent & { readonly kind: 'output' }): void {
    if (toolOutput !== undefined) this.#wait(wordTokens(toolOutput.text, toolOutput.unread), 0)
    if (isWhole === true && (this.#counted.has(item) || this.#counted.size >= itemsMax || text === '')) return
    if (item !== '' && this.#counted.size < itemsMax) this.#counted.add(item)
    if (this.#running === 0) this.#begin()
    if (text !== '') this.#outText += text.length < 4 ? 1 : wordTokens(text, unread)
    this.#outMs += (bytes / this.#bytesPerSecond.out) * 1000
  }

  #end(usage: Usage | null): void {
    const reckoned = this.#reckoned(this.#reading)
    const isSuspect = usage !== null && (usage.isSuspect || this.#isImpossible(usage, reckoned))
    const charged = usage === null || isSuspect ? { ...reckoned, isSuspect } : usage
    const { promptTokens, completionTokens } = charged
    this.#reported = merged(this.#reported, charged)
    this.#running = Math.max(0, this.#running - 1)
    if (this.#running > 0) return
    this.#reading = nothingNew
    this.#outText = 0
    this.#outMs = 0
    this.#counted.clear()
    this.#waiting = { ...this.#waiting, known: promptTokens + completionTokens }
  }

  /** Whether one response cannot have used so much: only reasoning is not seen here. */
  #isImpossible(reported: Usage, reckoned: Usage): boolean {
    return (
      isBeyondModel(reported, this.#model) || isFarAbove(reported.completionTokens - reported.reasoningTokens, reckoned.completionTokens)
    )
  }

  #transcribed(usage: Usage | null): void {
    // The client did not request it.
    if (this.#transcriber === null) return
    const isSuspect = usage !== null && (usage.isSuspect || this.#isTooLong(usage))
    const counted = usage === null || isSuspect ? { ...noUsage, audioMs: Math.ceil(this.#spokenMs) } : usage
    this.#reported = addUsage(this.#reported, { ...this.#transcript(counted), isSuspect })
    this.#spokenMs = 0
  }

  /** Whether all transcripts are of more audio than was sent. */
  #isTooLong(usage: Usage): boolean {
    const all = addUsage(this.#written, usage)
    const { promptTokens, completionTokens, audioMs } = all
    const audioInputTokens = audioTokens(this.#inputAudioMs, tokensPerSecond.in)
    const isLong = audioMs > transcriptTimesMax * this.#inputAudioMs + transcriptMoreMs
    if (isLong || isFarAbove(promptTokens, audioInputTokens) || isFarAbove(completionTokens, audioInputTokens)) return true
    this.#written = all
    return false
  }

  /** Transcription is charged at the price of its own model. */
  #transcript(usage: Usage): Usage {
    const models: Delegated['models'] = [this.#transcriber ?? this.#model, this.#model]
    return { ...noUsage, delegated: [{ models, usage: { ...usage, audioMs: Math.ceil(usage.audioMs) } }] }
  }

  #reckoned(reading: Reading): Usage {
    const audioOutputTokens = audioTokens(this.#outMs, tokensPerSecond.out)
    return usageOf(reading, { ...noUsage, completionTokens: this.#outText + audioOutputTokens, audioOutputTokens })
  }
}

/** Bytes per token in unread text: a character of a script other than Latin has three bytes and is about one token. */
const unreadBytesPerToken = 3

/** @param unread bytes after the text that were not parsed */
function wordTokens(text: string, unread: number): number {
  return estimateTokens(text) + Math.ceil(unread / unreadBytesPerToken)
}

function audioTokens(ms: number, perSecond: number): number {
  return Math.ceil((ms * perSecond) / 1000)
}

function usageOf({ text, audio, known }: Reading, output: Usage): Usage {
  return { ...output, promptTokens: text + audio + known, audioInputTokens: audio, cachedTokens: known }
}

/** The sum of two usages. One without any count yet adds nothing. */
function merged(first: Usage, second: Usage): Usage {
  return first === noUsage ? second : addUsage(first, second)
}

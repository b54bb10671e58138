import { isObject, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import type { ClientMessage, CutTexts, SessionEvent } from '../../core/session.ts'
import type { Usage } from '../../core/usage.ts'
import { readCount } from '../../core/usage-count.ts'
import { usageIn } from './usage.ts'

/**
 * Reads what a client's message changes in the cost of its session (OpenAI, "Realtime API", events of the client, and "Managing costs",
 * stored copies read 2026-11-21 and 2026-11-22).
 */
export function readClientMessage(data: string, cut: CutTexts): ClientMessage {
  const [head] = audioHead.exec(data) ?? []
  if (head !== undefined && endsWithText(data, head.length))
    return { event: { kind: 'audio', bytes: audioBytes(data.length - head.length - 2 + cutOff(cut, 'audio')) }, body: {} }
  const body = parseJson(data)
  return isObject(body) ? { event: eventOf(body, cut), body } : { event: null, body: null }
}

/** Whether the text that begins here is the last value of the object. */
const endsWithText = (data: string, start: number): boolean => data.endsWith('"}') && data.indexOf('"', start) === data.length - 2

function eventOf(event: JsonObject, cut: CutTexts): SessionEvent | null {
  switch (event['type']) {
    case 'input_audio_buffer.append':
      return { kind: 'audio', bytes: bytesOf(event['audio'], cutOff(cut, 'audio')) }
    case 'input_audio_buffer.clear':
      return { kind: 'cleared' }
    case 'conversation.item.create':
      return inputOf(isObject(event['item']) ? [event['item']] : [], cut)
    case 'response.create':
      return readResponseInput(event['response'], cut)
    default:
      return null
  }
}

/** The beginning of a message with audio. Most messages are one, and some have megabytes, so it is not parsed. */
const audioHead = /^\{"(?:event_id":"[^"]{0,128}",")?type":\s?"input_audio_buffer\.append",\s?"audio":\s?"/

/** Reads a message of the vendor. Session settings are read from these only, because the vendor may refuse a client's. */
export function readVendorMessage(data: string, cut: CutTexts): SessionEvent | null {
  const event = parseJson(data)
  if (!isObject(event)) return null
  const { type, delta } = event
  if (typeof type !== 'string') return null
  if (typeof delta === 'string') return deltaOf(type, { delta, item: textOr(event['item_id'], ''), unread: cutOff(cut, 'delta') })
  return readers[type]?.(event, cut) ?? null
}

const textDone = (event: JsonObject, cut: CutTexts): SessionEvent => wholeOf([event], event['item_id'], cut)

const readers: Readonly<Record<string, (event: JsonObject, cut: CutTexts) => SessionEvent>> = {
  'session.created': ({ session }, cut) => settingsOf(session, cut),
  'session.updated': ({ session }, cut) => settingsOf(session, cut),
  'transcription_session.created': ({ session }, cut) => settingsOf(session, cut),
  'transcription_session.updated': ({ session }, cut) => settingsOf(session, cut),
  'input_audio_buffer.speech_started': (event) => ({ kind: 'speech', fromMs: readCount(event['audio_start_ms']) || 0 }),
  'input_audio_buffer.speech_stopped': (event) => ({ kind: 'speech', toMs: readCount(event['audio_end_ms']) || 0 }),
  'input_audio_buffer.committed': () => ({ kind: 'committed' }),
  'input_audio_buffer.cleared': () => ({ kind: 'cleared' }),
  'response.created': () => ({ kind: 'begun' }),
  'response.output_item.done': ({ item }, cut) => itemOf(item, cut),
  'response.text.done': textDone,
  'response.output_text.done': textDone,
  'response.function_call_arguments.done': textDone,
  'response.mcp_call_arguments.done': textDone,
  'response.done': ({ response }) => ({ kind: 'done', usage: isObject(response) ? usageIn(response) : null }),
  'conversation.item.input_audio_transcription.completed': ({ usage }) => ({ kind: 'transcribed', usage: transcriptUsage(usage) }),
  // No transcript was made.
  'conversation.item.input_audio_transcription.failed': () => ({ kind: 'transcribed', usage: noUsage }),
}

interface Delta {
  readonly delta: string
  readonly item: string
  readonly unread: number
}

function deltaOf(type: string, { delta, item, unread }: Delta): SessionEvent | null {
  if (type === 'conversation.item.input_audio_transcription.delta') return { kind: 'transcribing' }
  if (!type.startsWith('response.') || !type.endsWith('.delta')) return null
  return /audio\.delta$/.test(type)
    ? { kind: 'output', text: '', unread: 0, bytes: bytesOf(delta, unread), item }
    : { kind: 'output', text: delta, unread, bytes: 0, item }
}

const written = ['text', 'transcript', 'arguments'] as const

/** What a model wrote in an item, in one of its texts, or in an event that ends one. */
function wholeOf(pieces: readonly JsonObject[], item: Json | undefined, cut: CutTexts): SessionEvent & { readonly kind: 'output' } {
  const texts = pieces.flatMap((piece) => written.map((name) => textOr(piece[name], '')))
  const unread = written.reduce((sum, name) => sum + cutOff(cut, name), 0)
  return { kind: 'output', text: texts.join(''), unread, bytes: 0, item: textOr(item, ''), isWhole: true }
}

function itemOf(item: Json | undefined, cut: CutTexts): SessionEvent {
  if (!isObject(item)) return wholeOf([], undefined, cut)
  const { id, content, output } = item
  const whole = wholeOf([item, ...(Array.isArray(content) ? content.filter(isObject) : [])], id, cut)
  return typeof output === 'string' ? { ...whole, toolOutput: { text: output, unread: cutOff(cut, 'output') } } : whole
}

/** Decoded length in bytes. @param unread characters that were cut off */
function bytesOf(base64: Json | undefined, unread: number): number {
  return typeof base64 === 'string' ? audioBytes(base64.length + unread) : 0
}

function audioBytes(base64Length: number): number {
  return Math.floor((base64Length * 3) / 4)
}

function cutOff(cut: CutTexts, member: string): number {
  return cut.get(member) ?? 0
}

/** Members of an item that are not text: audio is counted by its length, and the beginning of an image has its size. */
const media = ['audio', 'image_url', 'url'] as const

function unreadWords(cut: CutTexts): number {
  let bytes = 0
  for (const count of cut.values()) bytes += count
  return media.reduce((left, member) => left - cutOff(cut, member), bytes)
}

/** Input for one response only: instructions and items outside the conversation. */
function readResponseInput(response: Json | undefined, cut: CutTexts): SessionEvent | null {
  if (!isObject(response)) return null
  const { instructions, input, tools } = response
  const read = inputOf(Array.isArray(input) ? input.filter(isObject) : [], cut)
  return { ...read, text: textOr(instructions, '') + toolsText(tools) + read.text }
}

/** Items of a conversation: text, tool results, audio and images. */
function inputOf(items: readonly JsonObject[], cut: CutTexts): SessionEvent & { readonly kind: 'input' } {
  const parts = items.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isObject) : []))
  const texts = [
    ...items.flatMap((item) => [item['output'], item['arguments']]),
    ...parts.flatMap((part) => [part['text'], part['transcript']]),
  ].filter((text) => typeof text === 'string')
  return {
    kind: 'input',
    text: texts.join('\n'),
    unread: unreadWords(cut),
    bytes: parts.reduce((sum, { audio }) => sum + bytesOf(audio, 0), 0) + audioBytes(cutOff(cut, 'audio')),
    images: parts.flatMap(({ image_url: url }) => (url === undefined ? [] : [url])),
  }
}

function toolsText(tools: Json | undefined): string {
  return Array.isArray(tools) && tools.length > 0 ? JSON.stringify(tools) : ''
}

/** Reads the form of the preview and the later one, which has objects for audio. */
function settingsOf(session: Json | undefined, cut: CutTexts): SessionEvent {
  if (!isObject(session)) return { kind: 'settings', unread: 0 }
  const { instructions, tools, audio, input_audio_format: formatIn, output_audio_format: formatOut } = session
  const [input, output] = isObject(audio) ? [audio['input'], audio['output']] : [undefined, undefined]
  const transcription = (isObject(input) ? input['transcription'] : undefined) ?? session['input_audio_transcription']
  const transcriber = isObject(transcription) ? transcription['model'] : undefined
  return {
    kind: 'settings',
    text: textOr(instructions, '') + toolsText(tools),
    unread: unreadWords(cut),
    bytesInPerSecond: bytesPerSecond((isObject(input) ? input['format'] : undefined) ?? formatIn),
    bytesOutPerSecond: bytesPerSecond((isObject(output) ? output['format'] : undefined) ?? formatOut),
    ...(typeof transcriber === 'string' ? { transcriber } : {}),
  }
}

/** 16 bits at 24 kHz, unless the format is G.711, 8 bits at 8 kHz. */
const pcmBytesPerSecond = 48_000

function bytesPerSecond(format: Json | undefined): number {
  const name = isObject(format) ? textOr(format['type'], '') : textOr(format, '')
  return /pcmu|pcma|g711/.test(name) ? 8_000 : pcmBytesPerSecond
}

/** In tokens, or by the length of the audio. `null` = not reported. */
function transcriptUsage(usage: Json | undefined): Usage | null {
  if (!isObject(usage)) return null
  const { type, seconds } = usage
  if (type !== 'duration') return usageIn({ usage })
  return typeof seconds === 'number' && seconds > 0 && seconds < 1e6 ? { ...noUsage, audioMs: Math.ceil(seconds * 1000) } : null
}

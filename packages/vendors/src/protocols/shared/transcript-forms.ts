import { plainNumber } from '../../core/exact-number.ts'
import type { Failure } from '../../core/failure.ts'
import { asNumber, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { BytesResponse } from '../../core/response.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import type { Usage } from '../../core/usage.ts'
import { objectsIn } from './chat-parts.ts'
import { plainText } from './transcript-text.ts'

/** Forms of transcripts that are no JSON ("Create transcription", `response_format`, API reference, read 2026-11-21). */
const textForms: ReadonlySet<Json | undefined> = new Set(['text', 'srt', 'vtt'])

/** The form of a request, where its transcript is no JSON. */
export function textFormIn({ response_format: format }: JsonObject): string | null {
  return textForms.has(format) ? textOr(format, '') : null
}

/** What a vendor is sent in the place of a form that it does not have. */
interface UpstreamForm {
  /** Fields of the form that get another value. */
  readonly formFields?: Readonly<Record<string, string>>
  readonly refused?: string
}

const asItIs: UpstreamForm = {}

/**
 * The form that a vendor is sent for a transcript that the gateway can write itself: words alone from any response, subtitles from one with times. Other
 * subtitles are refused.
 * @param forms those that the vendor's model has; `null` = not known
 */
export function chooseForm(forms: readonly string[] | null, body: JsonObject, rewrites: Rewrites): UpstreamForm {
  const format = textFormIn(body)
  if (forms === null || format === null || forms.includes(format)) return asItIs
  const other = format === 'text' ? 'json' : 'verbose_json'
  if (!forms.includes(other)) return { refused: 'response_format' }
  if (!rewrites.may('parameters')) return asItIs
  rewrites.note('parameters', `response_format: ${format} -> ${other}`)
  return { formFields: { response_format: other } }
}

/** A transcript that came as JSON, in the form that was wanted. `null` = JSON is wanted. */
export function transcriptAs(format: Json | undefined, response: JsonObject, usage: Usage | null): BytesResponse | Failure | null {
  const { text } = response
  if (!textForms.has(format) || typeof text !== 'string') return null
  if (format === 'text') return plainText(text, 'text/plain', usage)
  const pieces = piecesIn(response)
  if (pieces.length === 0 && text.trim() !== '') return withoutTimes(textOr(format, ''), usage)
  return format === 'srt' ? plainText(asSrt(pieces), 'text/plain', usage) : plainText(asVtt(pieces), 'text/vtt', usage)
}

function withoutTimes(format: string, usage: Usage | null): Failure {
  const message = `The transcript came without times, of which subtitles are made: response_format ${format} is not offered here`
  const failure: Failure = {
    kind: 'bad_request',
    message,
    type: 'invalid_request_error',
    param: 'response_format',
    code: 'parameter_not_offered',
  }
  return usage === null ? failure : { ...failure, usage }
}

interface Piece {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * The segments of a verbose transcript. One whose times are missing or odd is there all the same, because its words were said: from the end of the one
 * before to the beginning of the next. Empty = no segment has a time.
 */
function piecesIn({ segments, duration }: JsonObject): readonly Piece[] {
  const all = objectsIn(segments).map(({ start, end, text }) => ({ start: secondOf(start), end: secondOf(end), text: wordsOf(text) }))
  const withText = all.filter(({ text }) => text !== '')
  if (withText.every(({ start, end }) => start === null && end === null)) return []
  let next = secondOf(duration)
  const ends = withText.toReversed().map(({ start, end }) => {
    const until = end ?? next
    next = start ?? next
    return until
  })
  let last = 0
  return withText.map(({ start: startTime, text }, index) => {
    const start = startTime ?? last
    last = Math.max(start, ends.at(-1 - index) ?? start)
    return { start, end: last, text }
  })
}

/** Longer audio is an error, and would be no time of a subtitle. */
const secondsMax = 360_000

/** A time, which some servers write as a text or a little below 0; `null` = it is none. */
function secondOf(time: Json | undefined): number | null {
  const value = plainNumber(time)
  const second = typeof value === 'number' || (typeof value === 'string' && value !== '') ? asNumber(value) : Number.NaN
  return second > -1 && second < secondsMax ? Math.max(0, second) : null
}

/** A blank line or an arrow would end the subtitle. */
function wordsOf(text: Json | undefined): string {
  const lines = textOr(text, '').split(/[\r\n]+/)
  return lines
    .map((line) => line.trim().replaceAll('-->', '->'))
    .filter((line) => line !== '')
    .join('\n')
}

const asSrt = (pieces: readonly Piece[]): string =>
  pieces.map(({ start, end, text }, index) => `${index + 1}\n${timeOf(start, ',')} --> ${timeOf(end, ',')}\n${text}\n\n`).join('')

const asVtt = (pieces: readonly Piece[]): string =>
  `WEBVTT\n\n${pieces.map(({ start, end, text }) => `${timeOf(start, '.')} --> ${timeOf(end, '.')}\n${text}\n\n`).join('')}`

/** Hours, minutes, seconds and milliseconds. */
function timeOf(seconds: number, point: ',' | '.'): string {
  const all = Math.round(seconds * 1_000)
  const part = (unit: number, most: number, digits = 2): string => String(Math.floor(all / unit) % most).padStart(digits, '0')
  return `${part(3_600_000, 100)}:${part(60_000, 60)}:${part(1_000, 60)}${point}${part(1, 1_000, 3)}`
}

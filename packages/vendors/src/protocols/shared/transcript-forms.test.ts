import { describe, expect, test } from 'bun:test'
import { parseForeign } from '../../core/exact-json.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { transcriptAs } from './transcript-forms.ts'

const decoder = new TextDecoder()

function subtitles(segments: readonly JsonObject[], more: JsonObject = {}, format = 'srt'): string | null {
  const transcript = transcriptAs(format, { text: 'A B C', segments, ...more }, null)
  return transcript !== null && 'bytes' in transcript ? decoder.decode(transcript.bytes) : null
}

// Holds: the text is an object.
const exactly = (text: string) => parseForeign(text) as JsonObject
const segment = (start: Json, end: Json, text: Json): JsonObject => ({ start, end, text })
const cue = (number: number, from: number, to: number, text: string) => `${number}\n00:00:0${from},000 --> 00:00:0${to},000\n${text}\n\n`

describe('subtitles have the words of every segment', () => {
  test.each([
    ['whose end is missing', [segment(0, 1, ' A'), segment(1, null, ' B'), segment(2, 3, ' C')], {}],
    ['whose start is missing', [segment(0, 1, ' A'), segment(null, 2, ' B'), segment(2, 3, ' C')], {}],
    ['whose times are both missing', [segment(0, 1, ' A'), segment('', null, ' B'), segment(2, 3, ' C')], {}],
    ['whose times are texts', [segment('0', '1.0', ' A'), segment('1', '2', ' B'), segment('2', '3', ' C')], {}],
    ['whose times are written as 1.0', [segment(0, 1, ' A'), exactly('{"start":1.0,"end":2.0,"text":" B"}'), segment(2, 3, ' C')], {}],
    ['that begins below 0', [segment(-0.02, 1, ' A'), segment(1, 2, ' B'), segment(2, 3, ' C')], {}],
    ['that is the last, without an end', [segment(0, 1, ' A'), segment(1, 2, ' B'), segment(2, null, ' C')], { duration: 3 }],
    ['whose times are too long', [segment(0, 1, ' A'), segment(1e9, 2e9, ' B'), segment(2, 3, ' C')], {}],
  ])('%s', (_which, segments, more) => {
    expect(subtitles(segments, more)).toBe(cue(1, 0, 1, 'A') + cue(2, 1, 2, 'B') + cue(3, 2, 3, 'C'))
  })

  test('with lines between them, which are no subtitles', () => {
    const text = 'A\n\n \r\n2\n00:00:09,000 --> 00:00:10,000\nB'
    expect(subtitles([segment(0, 1, text)])).toBe(cue(1, 0, 1, 'A\n2\n00:00:09,000 -> 00:00:10,000\nB'))
    expect(subtitles([segment(0, 1, text)], {}, 'vtt')?.match(/-->/g)).toHaveLength(1)
  })

  test('but for those without words', () => {
    expect(subtitles([segment(0, 1, ''), segment(1, 2, 'B')])).toBe(cue(1, 1, 2, 'B'))
  })
})

test('a transcript without any time is refused', () => {
  expect(transcriptAs('srt', { text: 'A', segments: [segment(null, null, 'A')], duration: 3 }, null)).toMatchObject({
    param: 'response_format',
  })
})

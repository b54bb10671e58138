import { describe, expect, test } from 'bun:test'
import { noUsage } from '@sluice/vendors/core/no-usage'
import type { SessionEvent } from '@sluice/vendors/core/session'
import type { Usage } from '@sluice/vendors/core/usage'
import fc from 'fast-check'
import { SessionMeter } from './session-meter.ts'

function meterAfter(...events: readonly SessionEvent[]): SessionMeter {
  const meter = new SessionMeter('gpt-realtime')
  for (const event of events) meter.take(event)
  return meter
}

const second = { kind: 'audio', bytes: 48_000 } as const
const response = (usage: Usage | null): SessionEvent => ({ kind: 'done', usage })
const reported: Usage = {
  ...noUsage,
  promptTokens: 500,
  cachedTokens: 100,
  audioInputTokens: 50,
  completionTokens: 200,
  audioOutputTokens: 150,
}

describe('a session has used', () => {
  test('nothing while it only listens, but its input must be reserved', () => {
    const meter = meterAfter(...Array<SessionEvent>(30).fill(second))
    expect(meter.used).toBe(noUsage)
    expect(meter.expected).toMatchObject({ promptTokens: 300, audioInputTokens: 300 })
  })

  test('its instructions and input, from the beginning of a response on', () => {
    const meter = meterAfter(
      { kind: 'settings', text: 'x'.repeat(400), unread: 0, bytesInPerSecond: 8_000, bytesOutPerSecond: 8_000 },
      { kind: 'input', text: 'y'.repeat(40), unread: 0, bytes: 16_000, images: [] },
      { kind: 'begun' },
      { kind: 'output', text: 'z'.repeat(40), unread: 0, bytes: 80_000 },
    )
    expect(meter.used).toMatchObject({
      promptTokens: 130,
      audioInputTokens: 20,
      completionTokens: 210,
      audioOutputTokens: 200,
      cachedTokens: 0,
    })
    expect(meter.isOpen).toBe(true)
  })

  test('only the detected speech of continuous audio', () => {
    const spoken: readonly SessionEvent[] = [{ kind: 'speech', fromMs: 7_000 }, { kind: 'speech', toMs: 12_000 }, { kind: 'committed' }]
    expect(meterAfter(...Array<SessionEvent>(60).fill(second), ...spoken, { kind: 'begun' }).used).toMatchObject({ audioInputTokens: 50 })
    expect(meterAfter(second, second, { kind: 'cleared' }, second, { kind: 'committed' }, { kind: 'begun' }).used).toMatchObject({
      audioInputTokens: 10,
    })
  })

  test('the vendor’s usage instead of our estimate', () => {
    const meter = meterAfter(
      second,
      { kind: 'committed' },
      { kind: 'begun' },
      { kind: 'output', text: 'Hello', unread: 0, bytes: 48_000 },
      response(reported),
    )
    expect(meter.used).toEqual(reported)
    expect(meter.isOpen).toBe(false)
  })

  test('the earlier conversation as cached tokens', () => {
    const meter = meterAfter({ kind: 'begun' }, response(reported), second, { kind: 'committed' }, { kind: 'begun' })
    expect(meter.used).toMatchObject({ promptTokens: 500 + 700 + 10, cachedTokens: 100 + 700, audioInputTokens: 50 + 10 })
  })

  test('our estimate if the vendor sends no usage or an implausible one', () => {
    const turnEvents: readonly SessionEvent[] = [
      second,
      { kind: 'committed' },
      { kind: 'begun' },
      { kind: 'output', text: '', unread: 0, bytes: 48_000 },
    ]
    expect(meterAfter(...turnEvents, response(null)).used).toMatchObject({ promptTokens: 10, completionTokens: 20, isSuspect: false })
    expect(meterAfter(...turnEvents, response({ ...noUsage, isSuspect: true })).used).toMatchObject({
      promptTokens: 10,
      completionTokens: 20,
      isSuspect: true,
    })
  })

  test('our estimate if the vendor counts more than a response can have, but for reasoning', () => {
    const spoken: readonly SessionEvent[] = [
      second,
      { kind: 'committed' },
      { kind: 'begun' },
      { kind: 'output', text: 'Hello', unread: 0, bytes: 48_000 },
    ]
    const counts = (promptTokens: number, completionTokens: number, reasoningTokens = 0): Usage => ({
      ...noUsage,
      ...{ promptTokens, completionTokens, reasoningTokens },
    })
    for (const implausible of [counts(10, 900_000_000), counts(900_000_000, 20), counts(10, 1_200)])
      expect(meterAfter(...spoken, response(implausible)).used).toMatchObject({ promptTokens: 10, completionTokens: 22, isSuspect: true })
    expect(meterAfter(...spoken, response(counts(10, 5_000, 4_900))).used).toEqual(counts(10, 5_000, 4_900))
  })

  test('the transcription by another model, from the end of the speech on', () => {
    const transcribedSpeech: readonly SessionEvent[] = [
      { kind: 'settings', unread: 0, transcriber: 'whisper-1' },
      second,
      second,
      { kind: 'committed' },
    ]
    const models = ['whisper-1', 'gpt-realtime'] as const
    const transcribing = { kind: 'transcribing' } as const
    const spoken = [{ models, usage: { ...noUsage, audioMs: 2000 } }]
    expect(meterAfter(...transcribedSpeech.slice(0, -1)).used).toBe(noUsage)
    for (const begun of [transcribedSpeech, [...transcribedSpeech, transcribing], [...transcribedSpeech.slice(0, -1), transcribing]]) {
      expect(meterAfter(...begun).used.delegated).toEqual(spoken)
      expect(meterAfter(...begun).isOpen).toBe(true)
    }
    const counted = { ...noUsage, promptTokens: 20, audioInputTokens: 20, completionTokens: 4 }
    const done = meterAfter(...transcribedSpeech, { kind: 'transcribing' }, { kind: 'transcribed', usage: counted })
    expect(done.used.delegated).toEqual([{ models, usage: counted }])
    expect(done.isOpen).toBe(false)
  })

  test('whole tokens, fewer than before only after a vendor’s count, and never more than is reserved for', () => {
    const pieces: fc.Arbitrary<SessionEvent> = fc.oneof(
      fc.record({ kind: fc.constant('audio' as const), bytes: fc.nat(100_000) }),
      fc.record({
        kind: fc.constant('input' as const),
        text: fc.string(),
        unread: fc.nat(1_000),
        bytes: fc.nat(10_000),
        images: fc.constant([]),
      }),
      fc.record({ kind: fc.constant('output' as const), text: fc.string(), unread: fc.nat(1_000), bytes: fc.nat(100_000) }),
      fc.record({ kind: fc.constant('speech' as const), fromMs: fc.nat(10_000), toMs: fc.nat(10_000) }),
      fc.constantFrom<SessionEvent>(
        { kind: 'committed' },
        { kind: 'cleared' },
        { kind: 'begun' },
        { kind: 'transcribing' },
        response(null),
        response(reported),
      ),
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (events) => {
        const meter = new SessionMeter('gpt-realtime')
        let before = 0
        for (const event of events) {
          meter.take(event)
          const { promptTokens, completionTokens, audioInputTokens, audioOutputTokens, cachedTokens } = meter.used
          for (const count of [promptTokens, completionTokens, audioInputTokens, audioOutputTokens, cachedTokens])
            expect(Number.isSafeInteger(count) && count >= 0).toBe(true)
          expect(audioInputTokens + cachedTokens).toBeLessThanOrEqual(promptTokens)
          expect(audioOutputTokens).toBeLessThanOrEqual(completionTokens)
          expect(meter.expected.promptTokens).toBeGreaterThanOrEqual(promptTokens)
          if (event.kind !== 'done') expect(promptTokens + completionTokens).toBeGreaterThanOrEqual(before)
          before = promptTokens + completionTokens
        }
      }),
    )
  })
})

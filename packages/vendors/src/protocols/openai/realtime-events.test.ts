import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { CutTexts } from '../../core/session.ts'
import { readClientMessage, readVendorMessage } from './realtime-events.ts'

const whole: CutTexts = new Map()
const readClient = (event: object, cut = whole) => readClientMessage(JSON.stringify(event), cut).event
const readVendor = (event: object, cut = whole) => readVendorMessage(JSON.stringify(event), cut)
const audio = Buffer.alloc(4800).toString('base64')

describe('what a client sends', () => {
  test('is audio, counted in bytes, however the message is formatted', () => {
    const audioFile = { kind: 'audio', bytes: 4800 } as const
    expect(readClient({ type: 'input_audio_buffer.append', audio })).toEqual(audioFile)
    expect(readClient({ event_id: 'e1', type: 'input_audio_buffer.append', audio })).toEqual(audioFile)
    expect(readClientMessage(`{"type": "input_audio_buffer.append", "audio": "${audio}"}`, whole)).toEqual({ event: audioFile, body: {} })
    expect(readClient({ audio, type: 'input_audio_buffer.append' })).toEqual(audioFile)
    expect(readClient({ type: 'input_audio_buffer.append', audio: 5 })).toEqual({ kind: 'audio', bytes: 0 })
  })

  test('is read whole if members follow the audio', () => {
    const twice = `{"type":"input_audio_buffer.append","audio":"${audio}","type":"session.update","session":{"model":"a"}}`
    expect(readClientMessage(twice, whole)).toEqual({ event: null, body: { type: 'session.update', audio, session: { model: 'a' } } })
    for (const data of ['{"type":"input_audio_buffer.append","audio":"', '[]', '{"a":NaN}', ''])
      expect(readClientMessage(data, whole).body).toBeNull()
  })

  test('is input of the next response: text, audio, images and tool results', () => {
    const content = [
      { type: 'input_text', text: 'Hello' },
      { type: 'input_audio', audio },
      { type: 'input_image', image_url: 'data:,' },
    ]
    expect(readClient({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })).toEqual({
      kind: 'input',
      text: 'Hello',
      unread: 0,
      bytes: 4800,
      images: ['data:,'],
    })
    expect(readClient({ type: 'conversation.item.create', item: { type: 'function_call_output', output: 'four' } })).toMatchObject({
      text: 'four',
    })
    const response = { instructions: 'Sing.', input: [{ content: [{ type: 'input_text', text: 'Hello' }] }] }
    expect(readClient({ type: 'response.create', response })).toMatchObject({ kind: 'input', text: 'Sing.Hello' })
    expect(readClient({ type: 'response.create' })).toBeNull()
  })
})

test('bytes cut off a long message count by their type: audio by its length, text as unread, an image not at all', () => {
  const cut = new Map([['audio', 4_000]])
  expect(readClient({ type: 'input_audio_buffer.append', audio }, cut)).toEqual({ kind: 'audio', bytes: 7_800 })
  expect(readClient({ audio, type: 'input_audio_buffer.append' }, cut)).toEqual({ kind: 'audio', bytes: 7_800 })
  const item = { content: [{ type: 'input_text', text: 'Hello' }] }
  const all = new Map([...cut, ['text', 30], ['image_url', 7]])
  expect(readClient({ type: 'conversation.item.create', item }, all)).toMatchObject({ text: 'Hello', unread: 30, bytes: 3_000 })
  expect(readClient({ type: 'response.create', response: { instructions: 'Sing.' } }, new Map([['instructions', 9]]))).toMatchObject({
    unread: 9,
  })
  const delta = new Map([['delta', 4_000]])
  expect(readVendor({ type: 'response.audio.delta', delta: audio }, delta)).toMatchObject({ bytes: 7_800, unread: 0 })
  expect(readVendor({ type: 'response.output_text.delta', delta: 'a' }, delta)).toMatchObject({ bytes: 0, unread: 4_000 })
  expect(readVendor({ type: 'session.updated', session: {} }, new Map([['instructions', 9]]))).toMatchObject({ unread: 9 })
})

describe('what a vendor sends', () => {
  test('sets the format of audio, in the form of the preview and in the later one', () => {
    const telephone = { bytesInPerSecond: 8_000, bytesOutPerSecond: 8_000 }
    expect(readVendor({ type: 'session.created', session: { instructions: 'Be kind.', tools: [{ name: 'f' }] } })).toEqual({
      kind: 'settings',
      text: 'Be kind.[{"name":"f"}]',
      unread: 0,
      bytesInPerSecond: 48_000,
      bytesOutPerSecond: 48_000,
    })
    const preview = { input_audio_format: 'g711_ulaw', output_audio_format: 'g711_alaw', input_audio_transcription: { model: 'whisper-1' } }
    expect(readVendor({ type: 'session.updated', session: preview })).toMatchObject({ ...telephone, transcriber: 'whisper-1' })
    const format = { type: 'audio/pcmu' }
    const input = { format, transcription: { model: 'gpt-4o-transcribe' } }
    expect(readVendor({ type: 'session.updated', session: { audio: { input, output: { format } } } })).toMatchObject({
      ...telephone,
      transcriber: 'gpt-4o-transcribe',
    })
  })

  test('is a response from its beginning to its end, in text and in audio', () => {
    expect(readVendor({ type: 'response.created', response: {} })).toEqual({ kind: 'begun' })
    for (const type of ['response.audio.delta', 'response.output_audio.delta'])
      expect(readVendor({ type, delta: audio })).toEqual({ kind: 'output', text: '', unread: 0, bytes: 4800, item: '' })
    for (const type of ['response.output_text.delta', 'response.output_audio_transcript.delta', 'response.function_call_arguments.delta'])
      expect(readVendor({ type, delta: 'Hello' })).toMatchObject({ kind: 'output', text: 'Hello', unread: 0, bytes: 0 })
    const usage = { input_tokens: 3, output_tokens: 2, input_token_details: { audio_tokens: 1 } }
    expect(readVendor({ type: 'response.done', response: { usage } })).toMatchObject({
      kind: 'done',
      usage: { promptTokens: 3, audioInputTokens: 1 },
    })
    expect(readVendor({ type: 'response.done' })).toEqual({ kind: 'done', usage: null })
  })

  test('is a transcript, counted in tokens or in seconds', () => {
    const type = 'conversation.item.input_audio_transcription.completed'
    expect(readVendor({ type: 'conversation.item.input_audio_transcription.delta', delta: 'Hel' })).toEqual({ kind: 'transcribing' })
    expect(readVendor({ type, usage: { type: 'duration', seconds: 1.5 } })).toMatchObject({ kind: 'transcribed', usage: { audioMs: 1500 } })
    const tokens = { type: 'tokens', input_tokens: 30, output_tokens: 5, input_token_details: { audio_tokens: 30 } }
    expect(readVendor({ type, usage: tokens })).toMatchObject({ usage: { promptTokens: 30, audioInputTokens: 30, completionTokens: 5 } })
    expect(readVendor({ type })).toEqual({ kind: 'transcribed', usage: null })
  })

  test('or a client sends is read without throwing, whatever it is', () => {
    const types = [
      'response.done',
      'session.created',
      'conversation.item.create',
      'response.create',
      'input_audio_buffer.append',
      'constructor',
    ]
    const any = fc.record({
      type: fc.constantFrom(...types),
      session: fc.json(),
      item: fc.json(),
      response: fc.json(),
      audio: fc.json(),
      delta: fc.json(),
    })
    const odd = any.map((record) =>
      Object.fromEntries(Object.entries(record).map(([name, value]) => [name, name === 'type' ? value : JSON.parse(value)])),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          odd.map((event) => JSON.stringify(event)),
          fc.string(),
        ),
        (data) => {
          readClientMessage(data, whole)
          readVendorMessage(data, whole)
        },
      ),
    )
  })
})

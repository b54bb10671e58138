import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../../test/channel.ts'
import { anthropic } from './dialect.ts'
import { enveloped } from './enveloped.ts'

const chat = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9, speed: 'fast' }
const pathOf = ({ model, stream }: { readonly model: string; readonly stream: boolean }) => `/of/${model}/${stream ? 'streamed' : 'whole'}`
const target = (stream: boolean) => targetOf({ model: 'claude-sonnet-4-5', stream })

describe('Anthropic’s form in an envelope', () => {
  const envelope = enveloped({ pathOf, version: 'the-version', namesStream: true })

  test('has the model in its path, and its version and beta features in the body', () => {
    const { path, headers, body } = envelope.request(chat, target(false))
    expect(path).toBe('/of/claude-sonnet-4-5/whole')
    expect(headers).toEqual({})
    expect(body).toMatchObject({ anthropic_version: 'the-version', anthropic_beta: ['fast-mode-2026-02-01'], max_tokens: 9 })
    expect(body).not.toHaveProperty('model')
    expect(body).not.toHaveProperty('stream')
  })

  test('says in the body that it is streamed where the service wants it', () => {
    expect(envelope.request(chat, target(true))).toMatchObject({ path: '/of/claude-sonnet-4-5/streamed', body: { stream: true } })
    const { body } = enveloped({ pathOf, version: 'v', namesStream: false }).request(chat, target(true))
    expect(body).not.toHaveProperty('stream')
  })

  test('is otherwise the same request and is read in the same way', () => {
    const { model: _model, ...inner } = anthropic.request(chat, target(false)).body
    const { anthropic_version: _version, anthropic_beta: _betas, ...outer } = envelope.request(chat, target(false)).body
    expect(outer).toEqual(inner)
    expect(envelope.response).toBe(anthropic.response)
    expect(envelope.askModels).toBeUndefined()
  })

  test('takes each event out of its frame', () => {
    const opened = (data: string) => data.slice(1)
    const stream = enveloped({ pathOf, version: 'v', namesStream: false, opened }).stream({ id: 'i', created: 1, model: 'm' })
    stream.event(`>${JSON.stringify({ type: 'message_start', message: { id: 'a' } })}`)
    expect(stream.event(`>${JSON.stringify({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hi' } })}`).text).toBe('Hi')
  })
})

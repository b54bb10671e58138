import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { doneIn, oddResponses, page, requestIn, runningTask, taskContext, taskResponse } from '../../../test/tasks.ts'
import type { BatchParams } from '../../core/batch.ts'
import type { JsonObject } from '../../core/json.ts'
import type { TaskResponse } from '../../core/task.ts'
import { anthropicBatches } from './batches.ts'

const context = taskContext('https://upstream.example')
const headers = { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'one' }
const task = runningTask({ kind: 'batches', model: 'any', vendorId: 'msgbatch_1/..', memo: { headers } })
const request = (params: JsonObject = {}) => ({ custom_id: 'a', params: { model: 'claude', max_tokens: 5, messages: [], ...params } })
const batchOf = (...requests: BatchParams['requests']): BatchParams => ({ body: { requests }, requests, clientHeaders: headers })
const { poll, cancel = never, remove = never, readResult, toClient, results, count } = anthropicBatches

const create = async (channel: typeof context, batchParams: BatchParams, responses: readonly TaskResponse[]) => {
  const prepared = await anthropicBatches.prepare(channel, batchParams, () => Promise.resolve())
  return 'refused' in prepared ? never() : prepared.submit(channel, responses)
}
const renamed = (line: JsonObject, model: string) => toClient(line, { model, task })

function never(): never {
  throw new Error('the dialect has no such step')
}

const batch = {
  id: 'msgbatch_1',
  processing_status: 'in_progress',
  created_at: '2026-11-25T00:00:00Z',
  request_counts: { succeeded: 2, errored: 1, other: -1 },
}

describe('a batch', () => {
  test('is created without what other vendors left in its messages', async () => {
    const messages = [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'x', signature: 'sluice:' },
          { type: 'text', text: 'Hi' },
        ],
      },
    ]
    const { url, body } = requestIn(await create(context, batchOf(request({ messages })), []))
    expect(url).toBe('https://upstream.example/v1/messages/batches')
    expect(body).toEqual({ requests: [request({ messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }] })] })
  })

  test('names the version and the beta features of all its requests, then and later', async () => {
    const upstreamRequest = requestIn(await create(context, batchOf(request(), request({ speed: 'fast' })), []))
    expect(upstreamRequest.headers).toMatchObject({ ...headers, 'anthropic-beta': 'one,fast-mode-2026-02-01' })
    const { memo, vendorId } = doneIn(await create(context, batchOf(request()), [taskResponse(batch)]))
    expect([vendorId, memo]).toEqual(['msgbatch_1', { batch, headers }])
    expect(requestIn(poll(context, task, []))).toMatchObject({
      url: 'https://upstream.example/v1/messages/batches/msgbatch_1%2F..',
      headers,
    })
    expect(results(context, task, { results_url: 'https://elsewhere.example/results' })).toEqual([
      { url: 'https://upstream.example/v1/messages/batches/msgbatch_1%2F../results', headers },
    ])
    expect(results(context, task, { results_url: null })).toEqual([])
  })

  test('runs until it has ended, and has results for 29 days', () => {
    expect(doneIn(poll(context, task, [taskResponse(batch)]))).toEqual({ state: 'in_progress' })
    expect(doneIn(poll(context, task, [taskResponse({ ...batch, processing_status: 'canceling' })]))).toEqual({ state: 'in_progress' })
    const ended = { ...batch, processing_status: 'ended' }
    const expiresAt = Date.parse('2026-12-24T00:00:00Z') / 1000
    expect(doneIn(poll(context, task, [taskResponse(ended)]))).toEqual({ state: 'completed', data: ended, expiresAt })
    expect(doneIn(poll(context, task, [taskResponse({}, 404)]))).toBeNull()
    expect(count(ended)).toBe(3)
  })

  test('is stopped or has ended', () => {
    expect(doneIn(cancel(context, task, [taskResponse({ ...batch, processing_status: 'canceling' })]))).toBe('asked')
    expect(doneIn(cancel(context, task, [taskResponse({ ...batch, processing_status: 'ended' })]))).toBe('ended')
    expect(doneIn(remove(context, task, [taskResponse({}, 404)]))).toBe(true)
    expect(remove(context, task, [taskResponse({}, 500)])).toMatchObject({ failed: {} })
  })

  test('survives every response', async () => {
    const names = ['id', 'processing_status', 'results_url', 'created_at', 'request_counts', 'error', 'message', 'type']
    const odd = fc.array(oddResponses(names, ['ended', 'canceling', 'msgbatch_1']), { minLength: 1, maxLength: 1 })
    await fc.assert(
      fc.asyncProperty(odd, async (responses) => {
        for (const step of [
          await create(context, batchOf(request()), responses),
          poll(context, task, responses),
          cancel(context, task, responses),
        ])
          expect(Object.keys(step)).toHaveLength(1)
      }),
    )
    expect(poll(context, task, [page])).toMatchObject({ failed: { kind: 'unavailable' } })
  })
})

describe('a result', () => {
  const usage = { input_tokens: 3, output_tokens: 2 }
  const message = { model: 'claude-1', content: [{ type: 'text', text: 'Hi' }], usage }
  const line = { custom_id: 'a', result: { type: 'succeeded', message } }

  test('has the usage of batches and the text, if it is a response', () => {
    expect(readResult(line)).toMatchObject({
      customId: 'a',
      response: { text: 'Hi', usage: { promptTokens: 3, completionTokens: 2, serviceTier: 'batch' } },
    })
    expect(readResult({ ...line, result: { type: 'succeeded', message: { content: 7 } } })).toEqual({
      customId: 'a',
      response: { usage: null, text: '', hasReasoning: false },
    })
    for (const type of ['errored', 'canceled', 'expired', 'new'])
      expect(readResult({ custom_id: 'a', result: { type } })).toEqual({ customId: 'a', response: null })
    for (const odd of [{}, { custom_id: '', result: {} }, { custom_id: 'a', result: null }]) expect(readResult(odd)).toBeNull()
  })

  test('has the client’s name of the model, and is otherwise as it came', () => {
    expect(renamed(line, 'mine')).toEqual({ ...line, result: { type: 'succeeded', message: { ...message, model: 'mine' } } })
    expect(renamed(line, 'claude-1')).toBe(line)
    const errored = { custom_id: 'a', result: { type: 'errored' } }
    expect(renamed(errored, 'mine')).toBe(errored)
  })
})

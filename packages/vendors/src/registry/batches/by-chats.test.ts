import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { doneIn, oddResponses, page, requestIn, runningTask, taskContext, taskResponse } from '../../../test/tasks.ts'
import type { BatchDialect } from '../../core/batch.ts'
import type { TaskResponse } from '../../core/task.ts'
import { vendorByType } from '../list.ts'
import { batchDialectOf } from './batch-dialect-of.ts'

const context = taskContext('https://upstream.example')
const task = runningTask({ kind: 'batches', model: 'any', vendorId: 'batch_1/..' })

function dialectOfType(type: number): BatchDialect {
  const vendor = vendorByType(type)
  const dialect = vendor === null ? null : batchDialectOf(vendor)
  if (dialect === null) throw new Error(`type ${type} has no batches`)
  return dialect
}

const openai = dialectOfType(1)
const requests = [{ custom_id: 'a', params: { model: 'gpt-4o-mini', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] } }]

const pause = () => Promise.resolve()

async function submit(dialect: BatchDialect, responses: readonly TaskResponse[]) {
  const prepared = await dialect.prepare(context, { body: { requests }, requests, clientHeaders: {} }, pause)
  if ('refused' in prepared) throw new Error(prepared.refused)
  return prepared.submit(context, responses)
}

const batch = { id: 'batch_1', status: 'in_progress', input_file_id: 'file-in', created_at: 1_700_000_000 }

describe('a batch of files', () => {
  test('is uploaded, then created', async () => {
    const request = requestIn(await submit(openai, []))
    expect(request).toMatchObject({ method: 'POST', url: 'https://upstream.example/v1/files' })
    expect(request.headers?.['content-type']).toStartWith('multipart/form-data; boundary=')
    const batchParams = requestIn(await submit(openai, [taskResponse({ id: 'file-in' })]))
    expect(batchParams).toMatchObject({ url: 'https://upstream.example/v1/batches' })
    expect(batchParams.body).toEqual({ input_file_id: 'file-in', endpoint: '/v1/chat/completions', completion_window: '24h' })
    expect(doneIn(await submit(openai, [taskResponse({ id: 'file-in' }), taskResponse(batch)])).vendorId).toBe('batch_1')
  })

  test('is built in many steps if it is long', async () => {
    let pauses = 0
    const count = async (): Promise<void> => {
      pauses += 1
    }
    const [first] = requests
    if (first === undefined) throw new Error('there is none')
    const many = Array.from({ length: 5_000 }, (_, index) => ({ ...first, custom_id: `r${index}` }))
    await openai.prepare(context, { body: { requests }, requests, clientHeaders: {} }, count)
    expect(pauses).toBe(0)
    await openai.prepare(context, { body: { requests: many }, requests: many, clientHeaders: {} }, count)
    expect(pauses).toBeGreaterThan(4)
  })

  test('is deleted with all of its files, of which some may be gone', () => {
    const ended = taskResponse({ ...batch, status: 'completed', output_file_id: 'file-out', error_file_id: null })
    const { remove } = openai
    if (remove === undefined) throw new Error('it cannot be deleted')
    expect(requestIn(remove(context, task, [])).url).toBe('https://upstream.example/v1/batches/batch_1%2F..')
    expect(requestIn(remove(context, task, [ended]))).toMatchObject({ method: 'DELETE', url: 'https://upstream.example/v1/files/file-in' })
    expect(requestIn(remove(context, task, [ended, taskResponse({}, 404)])).url).toBe('https://upstream.example/v1/files/file-out')
    expect(doneIn(remove(context, task, [ended, taskResponse({}), taskResponse({})]))).toBe(true)
    expect(doneIn(remove(context, task, [taskResponse({}, 404)]))).toBe(true)
  })

  test('reports when it began and ended, and how many requests have a response', () => {
    const counts = { total: 3, completed: 2, failed: 1 }
    const ended = { ...batch, status: 'completed', completed_at: 1_700_000_060, output_file_id: 'file-out', request_counts: counts }
    const { data } = doneIn(openai.poll(context, task, [taskResponse(ended)])) ?? {}
    expect(data).toMatchObject({
      created_at: '2023-11-14T22:13:20.000Z',
      ended_at: '2023-11-14T22:14:20.000Z',
      request_counts: { processing: 0, succeeded: 2, errored: 1 },
    })
    // Holds: it is an object, as the lines before show.
    expect(openai.count(data as never)).toBe(3)
    expect(openai.results(context, task, data as never)).toEqual([{ url: 'https://upstream.example/v1/files/file-out/content' }])
    expect(doneIn(openai.poll(context, task, [taskResponse({}, 404)]))).toBeNull()
  })

  test.each([1, 16, 17, 25, 28, 29, 39, 41])('of type %d survives every response and every line', (type) => {
    const dialect = dialectOfType(type)
    const names = [
      'id',
      'status',
      'job',
      'output_file_id',
      'error_file_id',
      'request_counts',
      'errors',
      'data',
      'created_at',
      'input_files',
    ]
    const odd = fc.array(oddResponses(names, ['completed', 'SUCCESS', 'cancelled', 'batch_1']), { minLength: 1, maxLength: 3 })
    const { cancel, remove } = dialect
    fc.assert(
      fc.property(odd, (responses) => {
        for (const step of [dialect.poll(context, task, responses), cancel?.(context, task, responses), remove?.(context, task, responses)])
          expect(step).toBeDefined()
      }),
    )
    const line = fc.dictionary(fc.constantFrom('custom_id', 'response', 'error', 'body', 'id'), fc.jsonValue())
    fc.assert(
      fc.property(line, (read) => {
        // Holds: it is made of JSON.
        const result = dialect.toClient(read as never, { model: 'any', task: { memo: {} } })
        expect(typeof result).toBe('object')
        dialect.readResult(read as never)
      }),
    )
    expect(dialect.poll(context, task, [page])).toMatchObject({ failed: {} })
  })
})

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { answered, doneIn, oddAnswers, page, requestIn, runningTask, taskContext } from '../../../test/tasks.ts'
import type { BatchDialect } from '../../core/batch.ts'
import type { TaskAnswer } from '../../core/task.ts'
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

async function submit(dialect: BatchDialect, answers: readonly TaskAnswer[]) {
  const prepared = await dialect.prepare(context, { body: { requests }, requests, clientHeaders: {} }, pause)
  if ('refused' in prepared) throw new Error(prepared.refused)
  return prepared.submit(context, answers)
}

const batch = { id: 'batch_1', status: 'in_progress', input_file_id: 'file-in', created_at: 1_700_000_000 }

describe('a batch of files', () => {
  test('is uploaded, then ordered', async () => {
    const request = requestIn(await submit(openai, []))
    expect(request).toMatchObject({ method: 'POST', url: 'https://upstream.example/v1/files' })
    expect(request.headers?.['content-type']).toStartWith('multipart/form-data; boundary=')
    const order = requestIn(await submit(openai, [answered({ id: 'file-in' })]))
    expect(order).toMatchObject({ url: 'https://upstream.example/v1/batches' })
    expect(order.body).toEqual({ input_file_id: 'file-in', endpoint: '/v1/chat/completions', completion_window: '24h' })
    expect(doneIn(await submit(openai, [answered({ id: 'file-in' }), answered(batch)])).vendorId).toBe('batch_1')
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
    const ended = answered({ ...batch, status: 'completed', output_file_id: 'file-out', error_file_id: null })
    const { remove } = openai
    if (remove === undefined) throw new Error('it cannot be deleted')
    expect(requestIn(remove(context, task, [])).url).toBe('https://upstream.example/v1/batches/batch_1%2F..')
    expect(requestIn(remove(context, task, [ended]))).toMatchObject({ method: 'DELETE', url: 'https://upstream.example/v1/files/file-in' })
    expect(requestIn(remove(context, task, [ended, answered({}, 404)])).url).toBe('https://upstream.example/v1/files/file-out')
    expect(doneIn(remove(context, task, [ended, answered({}), answered({})]))).toBe(true)
    expect(doneIn(remove(context, task, [answered({}, 404)]))).toBe(true)
  })

  test('tells when it began and ended, and how many requests have an answer', () => {
    const counts = { total: 3, completed: 2, failed: 1 }
    const ended = { ...batch, status: 'completed', completed_at: 1_700_000_060, output_file_id: 'file-out', request_counts: counts }
    const { data } = doneIn(openai.poll(context, task, [answered(ended)])) ?? {}
    expect(data).toMatchObject({
      created_at: '2023-11-14T22:13:20.000Z',
      ended_at: '2023-11-14T22:14:20.000Z',
      request_counts: { processing: 0, succeeded: 2, errored: 1 },
    })
    // Holds: it is an object, as the lines before show.
    expect(openai.count(data as never)).toBe(3)
    expect(openai.results(context, task, data as never)).toEqual([{ url: 'https://upstream.example/v1/files/file-out/content' }])
    expect(doneIn(openai.poll(context, task, [answered({}, 404)]))).toBeNull()
  })

  test.each([1, 16, 17, 25, 28, 29, 39, 41])('of type %d survives every answer and every line', (type) => {
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
    const odd = fc.array(oddAnswers(names, ['completed', 'SUCCESS', 'cancelled', 'batch_1']), { minLength: 1, maxLength: 3 })
    const { cancel, remove } = dialect
    fc.assert(
      fc.property(odd, (answers) => {
        for (const step of [dialect.poll(context, task, answers), cancel?.(context, task, answers), remove?.(context, task, answers)])
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

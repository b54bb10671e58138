import Anthropic from '@anthropic-ai/sdk'
import { json, type Received, type Script } from './fake-upstream.ts'
import { type TaskScene, type TaskSceneOptions, taskScene } from './task-scene.ts'

type Params = Readonly<Record<string, unknown>>

/** A batch as the double of its vendor has it. */
export interface DoubleBatch {
  readonly id: string
  readonly requests: ReadonlyArray<{ readonly custom_id: string; readonly params: Params }>
  status: 'in_progress' | 'canceling' | 'ended'
  /** The lines of its results. */
  lines: readonly string[]
  counts: Record<'processing' | 'succeeded' | 'errored' | 'canceled' | 'expired', number>
  readonly createdAt: string
  endedAt: string | null
}

/** A vendor of Anthropic's batches: tests end them. */
export interface BatchVendor {
  readonly batches: Map<string, DoubleBatch>
  /** Responds before the usual responses; `null`: the usual one. */
  response: (request: Received) => Script | null
  /** The newest. */
  last(): DoubleBatch
  /** Ends the newest batch with these lines of results. */
  end(lines: readonly string[]): void
}

const path = '/v1/messages/batches'
const none = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 }

function batchVendor({ app, clock }: TaskScene): BatchVendor {
  const batches = new Map<string, DoubleBatch>()
  const iso = (ms: number): string => new Date(ms).toISOString()
  const batchScript = ({ id, status, counts, createdAt, endedAt }: DoubleBatch): Script =>
    json({
      ...{ id, type: 'message_batch', processing_status: status, request_counts: counts, ended_at: endedAt },
      ...{ created_at: createdAt, expires_at: createdAt, archived_at: null },
      cancel_initiated_at: status === 'canceling' ? iso(clock.nowMs()) : null,
      results_url: status === 'ended' ? `https://api.anthropic.com${path}/${id}/results` : null,
    })
  function usual({ method, path: at, body }: Received): Script {
    const [id = '', below] = at.slice(path.length + 1).split('/')
    if (method === 'POST' && id === '') {
      // Holds: the gateway has checked it.
      const { requests } = JSON.parse(body) as Pick<DoubleBatch, 'requests'>
      const batch: DoubleBatch = {
        ...{
          id: `msgbatch_vendor_${batches.size + 1}`,
          requests,
          status: 'in_progress',
          lines: [],
          createdAt: iso(clock.nowMs()),
          endedAt: null,
        },
        counts: { ...none, processing: requests.length },
      }
      batches.set(batch.id, batch)
      return batchScript(batch)
    }
    const batch = batches.get(id)
    if (batch === undefined) return json({ type: 'error', error: { type: 'not_found_error', message: 'no such batch' } }, 404)
    if (below === 'results') {
      const bytes = batch.lines.map((line) => `${line}\n`).join('')
      return [
        { do: 'head', status: 200, headers: { 'content-type': 'application/x-jsonl' } },
        { do: 'send', bytes },
      ]
    }
    if (below === 'cancel' && batch.status === 'in_progress') batch.status = 'canceling'
    if (method === 'DELETE') {
      batches.delete(id)
      return json({ id, type: 'message_batch_deleted' })
    }
    return batchScript(batch)
  }
  const vendor: BatchVendor = {
    batches,
    response: () => null,
    last() {
      const newest = [...batches.values()].at(-1)
      if (newest === undefined) throw new Error('there is no batch')
      return newest
    },
    end(lines) {
      const batch = vendor.last()
      const types = lines.map((line) => /"type":"(succeeded|errored|canceled|expired)"/.exec(line)?.[1])
      const counts = { ...none }
      for (const { custom_id: id } of batch.requests) {
        const type = types[lines.findIndex((line) => line.includes(`"custom_id":"${id}"`))] ?? 'succeeded'
        // Holds: the expression above names members of the counts only.
        counts[type as keyof typeof counts] += 1
      }
      Object.assign(batch, { lines, counts, status: 'ended', endedAt: iso(clock.nowMs()) })
    },
  }
  app.upstream.always((request) => (request.path.startsWith(path) ? (vendor.response(request) ?? usual(request)) : null))
  return vendor
}

/** A scene of tasks with a vendor of batches and Anthropic's own client. */
export async function batchScene(options: TaskSceneOptions = {}) {
  const scene = await taskScene(options)
  const models = { mapped: 'claude-sonnet-4-5', plain: 'claude-haiku-4-5' }
  const channel = await scene.app.make.channel({
    type: 14,
    key: 'sk-ant-vendor',
    models: `${models.mapped},${models.plain}`,
    mapping: { [models.mapped]: 'claude-sonnet-4-5-20250929' },
  })
  return { ...scene, ...models, batchChannel: channel, batches: batchVendor(scene), anthropic: anthropicFor(scene, scene.key) }
}

export type BatchScene = Awaited<ReturnType<typeof batchScene>>

export function anthropicFor({ app }: Pick<TaskScene, 'app'>, key: string): Anthropic {
  return new Anthropic({ apiKey: key, baseURL: app.url, maxRetries: 0 })
}

/** A line of results with a response. */
export function succeeded(customId: string, message: Params = {}): string {
  const content = [{ type: 'text', text: 'Hello' }]
  const usage = { input_tokens: 100, output_tokens: 20, service_tier: 'batch' }
  const responded = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5-20250929', content, usage, ...message }
  return JSON.stringify({ custom_id: customId, result: { type: 'succeeded', message: responded } })
}

/** A line of a request without a response. */
export function unanswered(customId: string, type: 'errored' | 'canceled' | 'expired'): string {
  const error = { type: 'error', error: { type: 'invalid_request_error', message: 'max_tokens is too large' } }
  return JSON.stringify({ custom_id: customId, result: type === 'errored' ? { type, error } : { type } })
}

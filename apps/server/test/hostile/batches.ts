import { chatResponse, json, type Received, type Script } from '../fake-upstream.ts'

// Vendors of batches, which end each batch at its second poll.

interface RequestedBatch {
  count: number
  readonly requests: ReadonlyArray<{ readonly custom_id: string }>
}

const lines = (rows: readonly object[]): Script => [
  { do: 'head', status: 200, headers: { 'content-type': 'application/x-jsonl' } },
  { do: 'send', bytes: rows.map((row) => `${JSON.stringify(row)}\n`).join('') },
]

/** Batches of messages, in Anthropic's form. `null` = the request is about something else. */
export function messageBatches(): (request: Received) => Script | null {
  const batches = new Map<string, RequestedBatch>()
  const root = '/v1/messages/batches'
  const message = (custom_id: string) => ({
    custom_id,
    result: {
      type: 'succeeded',
      message: {
        ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5', content: [{ type: 'text', text: 'Hello' }] },
        usage: { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 0, service_tier: 'batch' },
      },
    },
  })
  return ({ method, path, body }) => {
    if (!path.startsWith(root)) return null
    const [id = '', below] = path.slice(root.length + 1).split('/')
    const name = id === '' ? `msgbatch_vendor_${batches.size + 1}` : id
    // Holds: the gateway sends a list of requests.
    if (method === 'POST' && id === '') batches.set(name, { count: 0, ...(JSON.parse(body) as Pick<RequestedBatch, 'requests'>) })
    const batch = batches.get(name)
    if (batch === undefined) return json({ type: 'error', error: { type: 'not_found_error', message: 'no such batch' } }, 404)
    if (below === 'results') return lines(batch.requests.map(({ custom_id: customId }) => message(customId)))
    batch.count += 1
    const hasEnded = batch.count > 2
    const fields = { id: name, type: 'message_batch', processing_status: hasEnded ? 'ended' : 'in_progress' }
    const at = new Date().toISOString()
    const counts = { processing: 0, succeeded: batch.requests.length, errored: 0, canceled: 0, expired: 0 }
    return json({ ...fields, request_counts: counts, created_at: at, ended_at: hasEnded ? at : null, results_url: 'https://a.example/r' })
  }
}

/** Batches of files of chats, in OpenAI's form. */
export function fileBatches(): (request: Received) => Script | null {
  const files = new Map<string, readonly string[]>()
  const batches = new Map<string, { count: number; readonly input: string }>()
  const result = (custom_id: string) => ({
    id: 'line',
    custom_id,
    response: { status_code: 200, body: chatResponse('Hello') },
    error: null,
  })

  function aboutFile({ method, body }: Received, id: string, below: string | undefined): Script {
    if (method === 'DELETE') return json({ id, deleted: true })
    if (below === 'content') return lines((files.get(id) ?? []).map(result))
    const name = `file-${files.size + 1}`
    const customIds = [...body.matchAll(/"custom_id":"([^"]*)"/g)].map(([, customId = '']) => customId)
    files.set(name, customIds)
    return json({ id: name, object: 'file', purpose: 'batch' })
  }

  function create({ body }: Received): string {
    const name = `batch-${batches.size + 1}`
    // Holds: the gateway sends an object.
    const { input_file_id: input } = JSON.parse(body) as { readonly input_file_id?: unknown }
    batches.set(name, { count: 0, input: String(input) })
    return name
  }

  function aboutBatch(name: string): Script {
    const batch = batches.get(name)
    if (batch === undefined) return json({ error: { message: 'not found', type: 'invalid_request_error' } }, 404)
    batch.count += 1
    const hasEnded = batch.count > 2
    const now = Math.floor(Date.now() / 1000)
    const { input } = batch
    const ids = { input_file_id: input, output_file_id: hasEnded ? input : null, error_file_id: null }
    const counts = { total: 2, completed: files.get(input)?.length ?? 0, failed: 0 }
    const times = { created_at: now, completed_at: hasEnded ? now : null }
    return json({ id: name, object: 'batch', status: hasEnded ? 'completed' : 'in_progress', ...times, ...ids, request_counts: counts })
  }

  return (request) => {
    const [, , noun, id = '', below] = request.path.split('/')
    if (noun === 'files') return aboutFile(request, id, below)
    return noun === 'batches' ? aboutBatch(id === '' ? create(request) : id) : null
  }
}

import { json, type Received, type Script } from './fake-upstream.ts'

type Members = Readonly<Record<string, unknown>>

/** How the double of one vendor speaks. */
export interface FileBatchForm {
  /** What stands before `/files/{id}`. */
  readonly root: string
  /** Where files are uploaded, where batches are, and what the upload must say of its purpose. */
  readonly upload: string
  readonly batches: string
  readonly purpose: string
  /** A batch as the vendor represents it. */
  toMembers(batch: DoubleFileBatch): Members
  /** The response to a batch request, if it differs. */
  wrapCreated?(members: Members): Members
}

export interface DoubleFileBatch {
  readonly id: string
  /** The body of the order. */
  readonly params: Members
  /** The id of its file of requests, and the lines of that file. */
  readonly input: string
  readonly lines: readonly Members[]
  status: string
  /** Ids of files. */
  output: string | null
  errors: string | null
  counts: { completed: number; failed: number }
}

/** A vendor that responds to files of requests with files of results; tests end its batches. */
export interface FileBatchVendor {
  /** Content by id. */
  readonly files: Map<string, string>
  last(): DoubleFileBatch
  /** Ends the newest batch with the lines of its two files. */
  end(status: string, results: { readonly output?: readonly Members[]; readonly errors?: readonly Members[] }): void
  response(request: Received): Script | null
}

const missing = json({ error: { message: 'not found', type: 'invalid_request_error' } }, 404)
const refused = (message: string): Script => json({ error: { message, type: 'invalid_request_error' } }, 400)

export function fileBatchVendor(form: FileBatchForm): FileBatchVendor {
  const files = new Map<string, string>()
  const batches: DoubleFileBatch[] = []
  let count = 0

  function keep(text: string): string {
    count += 1
    files.set(`file-${count}`, text)
    return `file-${count}`
  }

  function upload({ body, headers }: Received): Script {
    const parts = partsOf(body, String(headers['content-type']))
    const file = parts.get('file')
    if (parts.get('purpose') !== form.purpose || file === undefined) return refused('no file of requests')
    return json({ id: keep(file), object: 'file', purpose: form.purpose })
  }

  function create({ body }: Received): Script {
    // Holds: the gateway sends JSON.
    const params = JSON.parse(body) as { readonly input_file_id?: string; readonly input_files?: readonly string[] }
    const input = params.input_file_id ?? params.input_files?.[0] ?? ''
    const text = files.get(input)
    if (text === undefined) return refused('no such file')
    // Holds: the gateway writes one object a line.
    const lines = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Members)
    const batch = { id: `batch-${batches.length + 1}`, params: params, input, lines, status: 'in_progress', output: null, errors: null }
    batches.push({ ...batch, counts: { completed: 0, failed: 0 } })
    const members = form.toMembers(vendor.last())
    return json(form.wrapCreated?.(members) ?? members)
  }

  function aboutBatch({ path }: Received): Script {
    const [id = '', below] = path.slice(form.batches.length + 1).split('/')
    const batch = batches.find((one) => one.id === id)
    if (batch === undefined) return missing
    if (below === 'cancel') batch.status = 'cancelling'
    return json(form.toMembers(batch))
  }

  function aboutFile({ method, path }: Received): Script {
    const [id = '', below] = path.slice(`${form.root}/files/`.length).split('/')
    const text = files.get(id)
    if (text === undefined) return missing
    if (method === 'DELETE') return files.delete(id) ? json({ id, deleted: true }) : missing
    if (below !== 'content') return json({ id, object: 'file' })
    return [
      { do: 'head', status: 200, headers: { 'content-type': 'application/octet-stream' } },
      { do: 'send', bytes: text },
    ]
  }

  const vendor: FileBatchVendor = {
    files,
    last() {
      const batch = batches.at(-1)
      if (batch === undefined) throw new Error('there is no batch')
      return batch
    },
    end(status, { output = [], errors = [] }) {
      const written = (lines: readonly Members[]): string | null =>
        lines.length === 0 ? null : keep(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      const counts = { completed: output.length, failed: errors.length }
      Object.assign(vendor.last(), { status, output: written(output), errors: written(errors), counts })
    },
    response(request) {
      const { method, path } = request
      if (method === 'POST' && path === form.upload) return upload(request)
      if (method === 'POST' && path === form.batches) return create(request)
      if (path.startsWith(`${form.batches}/`)) return aboutBatch(request)
      return path.startsWith(`${form.root}/files/`) ? aboutFile(request) : null
    },
  }
  return vendor
}

/** The fields of a form (RFC 7578). */
function partsOf(body: string, contentType: string): ReadonlyMap<string, string> {
  const [, boundary = ''] = /boundary=(.+)$/.exec(contentType) ?? []
  const parts = body.split(`--${boundary}`).slice(1, -1)
  return new Map(
    parts.map((part) => {
      const [head = '', ...content] = part.slice(2, -2).split('\r\n\r\n')
      return [/ name="([^"]*)"/.exec(head)?.[1] ?? '', content.join('\r\n\r\n')]
    }),
  )
}

import type { Received, Script } from '../../fake-upstream.ts'
import { mp4File } from '../../task-scene.ts'

// Doubles of vendors whose work takes minutes: each speaks one vendor's wire, and tests move its work on.

/** Work as a double has it. */
export interface DoubleWork {
  readonly id: string
  stage: 'queued' | 'running' | 'done' | 'failed' | 'moderated' | 'stopped'
  /** What the vendor says that it took, in its own units; `null`: it says nothing. */
  took: number | null
}

export interface TaskDouble {
  /** Channel type. */
  readonly type: number
  readonly key: string
  readonly models: string
  /** Where clients order. */
  readonly path: '/v1/videos' | '/v1/tasks?kind=pictures'
  readonly params: Readonly<Record<string, unknown>>
  /** The request that the vendor gets. */
  readonly upstreamRequest: { readonly path: string; readonly body: object }
  /** In quota. */
  readonly price: number
  /** Changes of the task parameters that the vendor cannot fulfil, by the parameter that is refused. */
  readonly refused: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** A number that the vendor may name as what it took, and what that costs; `null`: it never names one. */
  readonly counted: { readonly took: number; readonly price: number } | null
  /** What clients read as the code of work that failed. */
  readonly failure: string
  readonly contentType: string
  /** Whether results have an address. */
  readonly hasAddresses: boolean
  readonly canStop: boolean
  /** Whether it names the addresses at which work is polled. */
  readonly namesPlaces: boolean
  readonly works: DoubleWork[]
  /** Texts that no client may read, beside the key. */
  readonly secrets: readonly string[]
  /** Where results and places are, if not at the double. */
  elsewhere: { results: string | null; places: string | null }
  /** The next work names this as what it took. */
  took: number | null
  /** Whether the request carries what the vendor gives or takes for the key. */
  isAuthorized(request: Received): boolean
  /** @param origin address of the double */
  response(request: Received, origin: string): Script
  /** Its refusal of a task request whose key it does not take. */
  readonly wrongKey: Script
  /** Its refusal of a task request for its content; `null`: it reports that later. */
  readonly wrongContent: Script | null
}

/** The parts that all doubles have. */
export function begun(): Pick<TaskDouble, 'works' | 'elsewhere' | 'took' | 'secrets'> {
  return { works: [], elsewhere: { results: null, places: null }, took: null, secrets: [] }
}

export function addWork({ works, took }: Pick<TaskDouble, 'works' | 'took'>, id: string): DoubleWork {
  const work: DoubleWork = { id, stage: 'queued', took }
  works.push(work)
  return work
}

/** What a vendor says about work that failed. A careless one repeats more than it should. */
export function wordsAbout({ id }: DoubleWork, key: string): string {
  return `The work ${id} could not be done for ${key}.`
}

/** The address of a result, which the test serves. */
export function resultOf({ id }: DoubleWork, { elsewhere }: Pick<TaskDouble, 'elsewhere'>, origin: string): string {
  return `${elsewhere.results ?? origin}/results/${id}`
}

export function redirect(location: string): Script {
  return [{ do: 'head', status: 302, headers: { location } }]
}

/** The video, or a range of it. */
export function content({ headers }: Received, type: string): Script {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(String(headers['range'] ?? '')) ?? []
  const baseHeaders = { 'content-type': type, 'accept-ranges': 'bytes' }
  if (first === undefined || last === undefined)
    return [
      { do: 'head', status: 200, headers: baseHeaders },
      { do: 'send', bytes: mp4File },
    ]
  return [
    { do: 'head', status: 206, headers: { ...baseHeaders, 'content-range': `bytes ${first}-${last}/${mp4File.length}` } },
    { do: 'send', bytes: mp4File.subarray(Number(first), Number(last) + 1) },
  ]
}

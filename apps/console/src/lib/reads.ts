import { account, type DataOf, type Endpoint, type InputOf } from '@sluice/contract'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from './api.ts'

/**
 * The keys of everything that is read from the server, and what a change makes stale. A key begins with the noun of its call: the part of
 * the path after `/api/`.
 */
export function nounOf({ path }: Pick<Endpoint, 'path'>): string {
  return path.split('/')[2]?.split('?')[0] ?? ''
}

/** What also changes with a noun: other nouns, or the path of a single call. */
const alsoChanged: Readonly<Record<string, readonly string[]>> = {
  channel: ['model', 'models', 'group', 'task', account.availableModels.path],
  oauth: ['user'],
  option: ['status', 'notice', 'about', 'home_page_content', 'model', 'models', 'group', 'channel', 'task'],
  passkey: ['second_factor'],
  redemption: [],
  second_factor: ['session', 'user'],
  topup: ['user', 'log'],
  user: ['model', 'redemption', 'log', 'task'],
}

interface ReadSpec {
  /** How long an answer is not requested again. */
  readonly freshMs?: number
}

/** The key of all reads of an endpoint, whatever their input. */
export const readsOf = (endpoint: Pick<Endpoint, 'path'>) => [nounOf(endpoint), 'read', endpoint.path] as const

export const readKey = <E extends Endpoint>(endpoint: E, input: InputOf<E>) => [...readsOf(endpoint), input] as const

/** Forgets what another account, or a visitor, has read. */
export function forgetReads(client: QueryClient): void {
  // The exchange of a code that brought the user must not be sent again.
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'status' && queryKey[0] !== 'exchange' })
}

/** A row of the contract as a query. */
export function readOptions<E extends Endpoint>(endpoint: E, input: InputOf<E>, { freshMs = 0 }: ReadSpec = {}) {
  return queryOptions<DataOf<E>>({
    queryKey: readKey(endpoint, input),
    queryFn: ({ signal }) => call(endpoint, input, { signal }),
    staleTime: freshMs,
  })
}

/** When the answer of a change came, and which reads were on their way then: they may bring data from before the change. */
export interface Answered {
  readonly atMs: number
  readonly inFlight: ReadonlySet<string>
}

export function noteAnswer(client: QueryClient): Answered {
  const reads = client.getQueryCache().findAll({ fetchStatus: 'fetching' })
  return { atMs: Date.now(), inFlight: new Set(reads.map(({ queryHash }) => queryHash)) }
}

/**
 * Makes stale what a change of the endpoint's noun may have changed: shown data is read again, other data when it is next shown. Data that
 * was written or requested after the change's answer is kept.
 */
export function markChanged(client: QueryClient, endpoint: Pick<Endpoint, 'path'>, { atMs, inFlight } = noteAnswer(client)): void {
  const noun = nounOf(endpoint)
  const changed = new Set<unknown>([noun, ...(alsoChanged[noun] ?? [])])
  void client.invalidateQueries({
    predicate: ({ queryKey: [read, , path], queryHash, state }) =>
      (changed.has(read) || changed.has(path)) && (state.dataUpdatedAt < atMs || inFlight.has(queryHash)),
  })
}

import { account, type DataOf, type Endpoint, type InputOf } from '@sluice/contract'
import { infiniteQueryOptions, type QueryClient, type QueryKey, queryOptions, useIsFetching } from '@tanstack/react-query'
import { call } from './api.ts'

/**
 * The only place for keys of what is read from the server, and for what a change makes stale; a rule of the repository refuses both
 * elsewhere. A key begins with the noun of its call: the part of the path after `/api/`. Then follow the path and the input, and in a query
 * that is made of calls also its name.
 */
export function nounOf({ path }: Pick<Endpoint, 'path'>): string {
  return path.split('/')[2]?.split('?')[0] ?? ''
}

/** What also changes with a noun: other nouns, or the path of a single call. */
const alsoChanged: Readonly<Record<string, readonly string[]>> = {
  channel: ['model', 'models', 'group', 'task', account.availableModels.path],
  ledger: ['user', 'token', 'log', 'task'],
  oauth: ['user'],
  option: ['status', 'notice', 'about', 'home_page_content', 'model', 'models', 'group', 'channel', 'task'],
  passkey: ['second_factor', 'session', 'access_token'],
  redemption: [],
  second_factor: ['session', 'access_token', 'user'],
  topup: ['user', 'log'],
  user: ['access_token', 'model', 'redemption', 'log', 'session', 'task'],
}

type Path = Pick<Endpoint, 'path'>

interface ReadSpec {
  /** How long a response is not requested again. */
  readonly freshMs?: number
}

/** The key of all reads of an endpoint, whatever their input. */
const readsOf = (endpoint: Path) => [nounOf(endpoint), 'read', endpoint.path] as const

export const readKey = <E extends Endpoint>(endpoint: E, input: InputOf<E>) => [...readsOf(endpoint), input] as const

/** Begins the keys of what no change makes stale. */
const once = 'once'

/** Forgets what another account, or a visitor, has read. */
export function forgetReads(client: QueryClient): void {
  client.removeQueries({
    // The exchange of a code that brought the user must not be sent again.
    predicate: ({ queryKey: [read, noun] }) => read !== 'status' && !(read === once && noun === 'oauth'),
  })
}

/** A row of the contract as a query. */
export function readOptions<E extends Endpoint>(endpoint: E, input: InputOf<E>, { freshMs = 0 }: ReadSpec = {}) {
  return queryOptions<DataOf<E>>({
    queryKey: readKey(endpoint, input),
    queryFn: ({ signal }) => call(endpoint, input, { signal }),
    staleTime: freshMs,
  })
}

interface Signalled {
  readonly signal: AbortSignal
}

/** A query that is made of calls: the rows of a list, the bars of a chart. It belongs to the reads of the endpoint. `key`: its name and what it depends on. */
export function derivedOptions<Data>(
  endpoint: Path,
  key: readonly [name: string, of: unknown],
  read: (context: Signalled) => Promise<Data>,
) {
  return queryOptions({ queryKey: [...readsOf(endpoint), ...key], queryFn: read })
}

/** Whether rows of a list are read: those that it shows, anew, or the ones after them. Only what shows it draws itself again for it. */
export function useIsReading({ key }: { readonly key: QueryKey }): boolean {
  const ownFetches = useIsFetching({ queryKey: key, exact: true })
  return useIsFetching({ queryKey: restKey(key) }) + ownFetches > 0
}

/** Begins the keys of rows after those of a list. */
const restKey = (list: QueryKey): QueryKey => [...list, 'rest']

/** The rows after the last one that a list has loaded. */
export function nextPageOptions<Data>(list: QueryKey, range: object, read: (context: Signalled) => Promise<Data>) {
  return queryOptions({ queryKey: [...restKey(list), range], queryFn: read, gcTime: 0, staleTime: 0 })
}

interface Pages<Data> {
  /** Reads the rows after the one with this id, at first 0. */
  readonly read: (after: number, context: Signalled) => Promise<Data>
  /** The id after which the next page begins; `undefined` = there is none. */
  readonly nextOf: (page: Data) => number | undefined
}

/** A list that grows page by page. */
export function pagesOptions<Data>(endpoint: Path, { read, nextOf }: Pages<Data>) {
  return infiniteQueryOptions({
    queryKey: [...readsOf(endpoint), 'pages'],
    queryFn: ({ pageParam, signal }) => read(pageParam, { signal }),
    initialPageParam: 0,
    getNextPageParam: nextOf,
  })
}

/** A call that is sent once for an input, because its response stays valid, or because it cannot be sent again. */
export function onceOptions<Data>(endpoint: Path, input: object, send: (context: Signalled) => Promise<Data>) {
  return queryOptions({ queryKey: [once, nounOf(endpoint), endpoint.path, input], queryFn: send, staleTime: Number.POSITIVE_INFINITY })
}

/** Changes data that has been read: the response of a change says what it is now. @returns what it is then; `undefined` = it was not read */
export function editRead<Data>(client: QueryClient, key: readonly unknown[], change: (data: Data) => Data): Data | undefined {
  return client.setQueryData<Data>(key, (data) => data && change(data))
}

/** The data of a read, from a response of another call. */
export function writeRead(client: QueryClient, key: readonly unknown[], data: unknown): void {
  client.setQueryData(key, data)
}

/** Reads again what is shown of an endpoint, whatever its input. @returns once it has been read */
export async function refetch(client: QueryClient, endpoint: Path): Promise<void> {
  await client.invalidateQueries({ queryKey: readsOf(endpoint) })
}

/** Marks what was read of an endpoint as old: it is read again when it is next shown. */
export function invalidate(client: QueryClient, endpoint: Path): void {
  void client.invalidateQueries({ queryKey: readsOf(endpoint), refetchType: 'none' })
}

/** Reads again what is shown of the endpoint's noun: it changes without a call of this page. @returns once it has been read */
export async function refetchNoun(client: QueryClient, endpoint: Path): Promise<void> {
  await client.invalidateQueries({ queryKey: [nounOf(endpoint)] })
}

/** What a request to the gateway changes beside its response: the use of its token, the log, and the tasks. */
const spent: ReadonlySet<unknown> = new Set(['token', 'log', 'task'])

/**
 * Makes stale what a request of the own account has changed when it was charged or refunded: the balance is read again at once, the rest
 * when it is next shown.
 */
export function invalidateUsage(client: QueryClient): void {
  void refetchNoun(client, account.self)
  void client.invalidateQueries({ predicate: ({ queryKey: [noun] }) => spent.has(noun), refetchType: 'none' })
}

/** When the response of a change came, and which reads were on their way then: they may bring data from before the change. */
export interface InFlight {
  readonly atMs: number
  readonly inFlight: ReadonlySet<string>
}

export function captureInFlight(client: QueryClient): InFlight {
  const reads = client.getQueryCache().findAll({ fetchStatus: 'fetching' })
  return { atMs: Date.now(), inFlight: new Set(reads.map(({ queryHash }) => queryHash)) }
}

/**
 * Marks stale what a change of the endpoint's noun may have changed: shown data is read again, other data when it is next shown. Data that
 * was written or requested after the response to the change is kept.
 */
export function markChanged(client: QueryClient, endpoint: Path, { atMs, inFlight } = captureInFlight(client)): void {
  const noun = nounOf(endpoint)
  const changed = new Set<unknown>([noun, ...(alsoChanged[noun] ?? [])])
  void client.invalidateQueries({
    predicate: ({ queryKey: [read, , path], queryHash, state }) =>
      (changed.has(read) || changed.has(path)) && (state.dataUpdatedAt < atMs || inFlight.has(queryHash)),
  })
}

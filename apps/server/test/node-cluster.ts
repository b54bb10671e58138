import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { openForReading } from '../src/db/open-beside.ts'
import { verify } from '../src/ledger/verify.ts'
import { type ServerProcess, startServer } from './server-process.ts'

/** Several server processes on one PostgreSQL database. */
export interface Cluster {
  readonly size: number
  /** The running process at a place; `null`: it is being started again, or was stopped. */
  at(place: number): ServerProcess | null
  /** The running process at a place modulo `size`. @throws Error if none runs there */
  nodeAt(place: number): ServerProcess
  running(): readonly ServerProcess[]
  /** @param program the command line that it is started by; missing: from its sources */
  start(place: number, program?: readonly string[]): Promise<ServerProcess>
  /** Ends a process by a signal. @returns its exit code */
  end(place: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<number>
  /** Calls the management API of a process as the administrator. */
  call(server: ServerProcess, endpoint: { readonly method: string; readonly path: string }, body: object): Promise<Envelope>
  /** The data of a call that changes nothing. */
  read(server: ServerProcess, endpoint: { readonly path: string }): Promise<unknown>
  /** A channel to the upstream, and a token. @returns the token's header */
  prepare(upstream: { readonly url: string }, token?: object): Promise<string>
  /** What the rules of the ledger find wrong, the log included. */
  inconsistencies(): Promise<readonly string[]>
  close(): Promise<void>
}

interface Envelope {
  readonly success: boolean
  readonly message: string
  readonly data: unknown
}

interface ClusterOptions {
  /** How each node reaches the database; missing: by its address. */
  readonly urls?: readonly string[]
  /** Of an empty database. */
  readonly url: string
  readonly size: number
  readonly variables?: Readonly<Record<string, string>>
}

const accessToken = 'cluster'.padEnd(40, 'x')

export function createCluster({ url, size, urls = [], variables = {} }: ClusterOptions): Cluster {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'))
  const servers: (ServerProcess | null)[] = Array.from({ length: size }, () => null)

  async function call(server: ServerProcess, { method, path }: { method: string; path: string }, body: object): Promise<Envelope> {
    const response = await fetch(server.url + path, { method, headers: { authorization: accessToken }, body: JSON.stringify(body) })
    // Holds: every response of the management API is an envelope.
    return (await response.json()) as Envelope
  }

  return {
    size,
    at: (place) => servers[place] ?? null,
    nodeAt(place) {
      const server = servers[place % size] ?? null
      if (server === null) throw new Error(`node ${place} does not run`)
      return server
    },
    running: () => servers.filter((server) => server !== null),
    async start(place, program) {
      const settings = {
        DATA_DIR: join(folder, String(place)),
        DATABASE_URL: urls[place] ?? url,
        NODE_ID: `node ${place}`,
        SLUICE_SECRET: 'a secret that all nodes know',
        INITIAL_ROOT_PASSWORD: 'a root password',
        INITIAL_ROOT_ACCESS_TOKEN: accessToken,
        ...variables,
      }
      const server = await startServer(settings, program)
      servers[place] = server
      void server.exited.then(() => {
        if (servers[place] === server) servers[place] = null
      })
      return server
    },
    async end(place, signal) {
      const server = servers[place]
      if (server === null || server === undefined) return 0
      servers[place] = null
      server.signal(signal)
      return await server.exited
    },
    call,
    async read(server, { path }) {
      const response = await fetch(server.url + path, { headers: { authorization: accessToken } })
      // Holds: every response of the management API is an envelope.
      return ((await response.json()) as Envelope).data
    },
    async prepare(upstream, token = {}) {
      const [server] = servers.filter((one) => one !== null)
      if (server === undefined) throw new Error('no node runs')
      await call(server, contract.channel.create, { name: 'up', type: 1, key: 'k', models: 'gpt-4o-mini', base_url: upstream.url })
      const response = await call(server, contract.token.create, { name: 't', unlimited_quota: true, ...token })
      // Holds: the response contains the new token with its key.
      return `Bearer sk-${(response.data as { readonly key: string }).key}`
    },
    async inconsistencies() {
      const { db, close } = openForReading(url)
      const { checks } = await verify(db, { withLogs: true })
      await close()
      return checks.flatMap(({ broken }) => broken)
    },
    async close() {
      for (const server of servers) server?.signal('SIGKILL')
      await Promise.all(servers.map((server) => server?.exited))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

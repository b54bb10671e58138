import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestUser } from '../../apps/server/test/app.ts'
import type { Commands, Opened, OpenOptions } from './gateway-host.ts'

type CommandInput<Name extends keyof Commands> = Parameters<Commands[Name]>[1]
type CommandResult<Name extends keyof Commands> = Awaited<ReturnType<Commands[Name]>>

/** A server of one test. */
export interface Gateway {
  readonly url: string
  readonly upstreamUrl: string
  readonly root: TestUser
  /** What the server has printed about the first login. */
  readonly startLines: readonly string[]
  /** Commands that only tests have: they create users, write rows and script the upstream. */
  ask<Name extends keyof Commands>(name: Name, input: CommandInput<Name>): Promise<CommandResult<Name>>
  /** Makes one call of the management API as some user. @returns the data. @throws Error with the message of a failure */
  api(path: string, init?: ApiInit): Promise<unknown>
  close(): Promise<void>
}

interface ApiInit {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly body?: unknown
  readonly as?: TestUser
}

/** The process that runs the servers of one worker. */
export interface GatewayHost {
  open(options: OpenOptions): Promise<Gateway>
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '../..')

export async function startGatewayHost(): Promise<GatewayHost> {
  const bun = process.env['BUN_PATH'] ?? join(root, 'node_modules/.bin/bun')
  const child = spawn(bun, ['--no-orphans', join(root, 'e2e/support/gateway-host.ts')], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(() => Promise.reject(new Error('the gateway host did not start; see its output above'))),
  ])
  const door = `http://127.0.0.1:${String(line).replace('door: ', '')}`
  return {
    async open(options) {
      const opened = await post<Opened>(`${door}/new/open`, options)
      return gatewayAt(`${door}/${opened.id}`, opened)
    },
    async stop() {
      child.kill()
      await exited
    },
  }
}

async function post<ApiResponse>(address: string, input: unknown): Promise<ApiResponse> {
  const response = await fetch(address, { method: 'POST', body: JSON.stringify(input ?? null) })
  // Holds: the host sends this object, and `ApiResponse` is derived from its types.
  const { data, error } = (await response.json()) as { readonly data: ApiResponse; readonly error?: string }
  if (error !== undefined) throw new Error(error)
  return data
}

function gatewayAt(door: string, { url, upstreamUrl, root: rootUser, startLines }: Opened): Gateway {
  return {
    url,
    startLines,
    upstreamUrl,
    root: rootUser,
    ask: (name, input) => post(`${door}/${name}`, input),
    async api(path, { method = 'GET', body, as = rootUser } = {}) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...as.headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      // Holds: every response of the management API is an envelope.
      const envelope = (await response.json()) as { readonly success: boolean; readonly message: string; readonly data?: unknown }
      if (!envelope.success) throw new Error(`${method} ${path}: ${envelope.message}`)
      return envelope.data
    },
    close: () => post(`${door}/close`, null),
  }
}

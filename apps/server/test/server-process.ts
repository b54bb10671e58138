import { join } from 'node:path'

/** The server as operators run it: a process of its own. */
export interface ServerProcess {
  readonly url: string
  readonly port: number
  /** Everything it has printed so far. */
  printed(): string
  signal(name: 'SIGTERM' | 'SIGKILL'): void
  /** Its exit code; 128 and the signal's number where a signal ended it. */
  readonly exited: Promise<number>
}

const main = join(import.meta.dir, '../src/main.ts')

type Variables = Readonly<Record<string, string>>

function spawn(args: readonly string[], variables: Variables) {
  const child = Bun.spawn({
    // Nothing of ours outlives the tests, however they end.
    cmd: [process.execPath, '--no-orphans', main, ...args],
    env: { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', STORAGE_RESERVE_BYTES: '65536', ...variables },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let text = ''
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    for await (const bytes of stream) text += new TextDecoder().decode(bytes)
  })
  return { child, printed: () => text, ended: Promise.all([child.exited, ...reading]).then(([code]) => code) }
}

/** Runs it to its end. */
export async function runServer(args: readonly string[], variables: Variables): Promise<{ readonly code: number; readonly text: string }> {
  const { ended, printed } = spawn(args, variables)
  return { code: await ended, text: printed() }
}

/** Starts it and waits until it says where it listens. */
export async function startServer(variables: Variables): Promise<ServerProcess> {
  const { child, printed, ended } = spawn([], variables)
  const port = await new Promise<number>((resolve, reject) => {
    const look = (): void => {
      const said = /running: http:\/\/localhost:(\d+)/.exec(printed())
      if (said !== null) resolve(Number(said[1]))
      else if (child.exitCode !== null) reject(new Error(`the server did not start:\n${printed()}`))
      else setImmediate(look)
    }
    look()
  })
  return { url: `http://127.0.0.1:${port}`, port, printed, signal: (name) => child.kill(name), exited: ended }
}

/** Of the root account of a server that is prepared. */
export const processPassword = 'a root password'

/** Signs in, adds a channel that leads to the upstream, and makes a token. @returns headers of a relayed call */
export async function prepare(server: ServerProcess, upstream: { readonly url: string }): Promise<Record<string, string>> {
  const login = await fetch(`${server.url}/api/user/login`, {
    method: 'POST',
    body: JSON.stringify({ username: 'root', password: processPassword }),
  })
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
  const post = async (path: string, body: object) => {
    const response = await fetch(server.url + path, { method: 'POST', headers: { cookie }, body: JSON.stringify(body) })
    // Holds: every call of the management API answers so.
    return (await response.json()) as { readonly success: boolean; readonly data: { readonly key: string } }
  }
  await post('/api/channel/', { name: 'up', type: 1, key: 'k', models: 'gpt-4o-mini', base_url: upstream.url })
  const { data } = await post('/api/token/', { name: 't', unlimited_quota: true })
  return { authorization: `Bearer sk-${data.key}`, 'content-type': 'application/json' }
}

/** Resolves when the condition holds. Nothing is waited for that the test has not set in motion; the runner's time limit ends it. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve))
}

import { connect } from 'node:net'
import { join } from 'node:path'

/** The server as a separate process, as operators run it. */
export interface ServerProcess {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Everything it has printed so far. */
  printed(): string
  signal(name: NodeJS.Signals): void
  /** Its exit code; 128 plus the signal's number if a signal ended it. */
  readonly exited: Promise<number>
}

const main = join(import.meta.dir, '../src/main.ts')

/** The server from its sources, with modules that are loaded before it. The process ends with the tests, however they end. */
export const fromSources = (...preloaded: readonly string[]): readonly string[] => [
  process.execPath,
  '--no-orphans',
  '--no-env-file',
  ...preloaded.flatMap((path) => ['--preload', path]),
  main,
  // Not the one that a developer has in the root of the repository.
  '--env-file=/dev/null',
]

type Variables = Readonly<Record<string, string>>

/** Sets Bun's variable, as `npm start` does: without it the server restarts itself with it, which takes twice as long. */
const usual: Variables = {
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'warn',
  STORAGE_RESERVE_BYTES: '65536',
  BUN_CONFIG_MAX_HTTP_REQUESTS: '65336',
}
/** Bun's variable is not set, as if the server was started manually. */
export const byHand: Variables = { BUN_CONFIG_MAX_HTTP_REQUESTS: '' }

function spawn(cmd: readonly string[], variables: Variables) {
  const child = Bun.spawn({
    cmd: [...cmd],
    env: { ...usual, ...variables },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let text = ''
  const running = Promise.withResolvers<number>()
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    for await (const bytes of stream) {
      text += new TextDecoder().decode(bytes)
      const port = /running: http:\/\/\S+:(\d+)\s/.exec(text)?.[1]
      if (port !== undefined) running.resolve(Number(port))
    }
  })
  const ended = Promise.all([child.exited, ...reading]).then(([code]) => code)
  void ended.then(() => running.reject(new Error(`the server ended before it ran:\n${text}`)))
  // Unused if the server is run to its end.
  running.promise.catch(() => {})
  return { child, printed: () => text, ended, port: running.promise }
}

/** Runs it to its end. @param program the command line that it is started by */
export async function runServer(
  args: readonly string[],
  variables: Variables,
  program = fromSources(),
): Promise<{ readonly code: number; readonly text: string }> {
  const { ended, printed } = spawn([...program, ...args], variables)
  return { code: await ended, text: printed() }
}

/** Starts it and waits until it prints its address. @param program the command line that it is started by */
export async function startServer(variables: Variables, program = fromSources()): Promise<ServerProcess> {
  const { child, printed, ended, port: listening } = spawn(program, variables)
  const port = await listening
  return { url: `http://127.0.0.1:${port}`, port, pid: child.pid, printed, signal: (name) => child.kill(name), exited: ended }
}

/** Password of the root account that `prepare` uses. */
export const processPassword = 'a root password'

interface Prepared {
  /** Of the channel. */
  readonly models?: string
  /** Members of the token. */
  readonly token?: object
}

/** Signs in, adds a channel that leads to the upstream, and makes a token. @returns headers of a relayed call */
export async function prepare(
  server: ServerProcess,
  upstream: { readonly url: string },
  { models = 'gpt-4o-mini', token = {} }: Prepared = {},
): Promise<Record<string, string>> {
  const login = await fetch(`${server.url}/api/user/login`, {
    method: 'POST',
    body: JSON.stringify({ username: 'root', password: processPassword }),
  })
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
  const post = async (path: string, body: object) => {
    const response = await fetch(server.url + path, { method: 'POST', headers: { cookie }, body: JSON.stringify(body) })
    // Holds: every response of the management API is an envelope.
    return (await response.json()) as { readonly success: boolean; readonly data: { readonly key: string } }
  }
  await post('/api/channel/', { name: 'up', type: 1, key: 'k', models, base_url: upstream.url })
  const { data } = await post('/api/token/', { name: 't', unlimited_quota: true, ...token })
  return { authorization: `Bearer sk-${data.key}`, 'content-type': 'application/json' }
}

/**
 * Resolves when the condition is true; the runner's time limit ends it. It checks once a millisecond, to leave the processor to the work
 * that is waited for, which may be in another process.
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 1))
}

/** Whether a server takes no connections any more: what a balancer has not sent, it sends to another one. */
export const isClosed = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(false)).on('error', () => resolve(true))
    socket.on('connect', () => socket.destroy())
  })

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
    env: { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', ...variables },
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

/** Resolves when the condition holds. Nothing is waited for that the test has not set in motion; the runner's time limit ends it. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve))
}

import { join } from 'node:path'

/** A database server of the tests, in a separate process that ends with the process that started it. */
interface DatabaseProcess {
  readonly address: string
  /** Of the process below which the server runs. */
  readonly pid: number
  /** Sends a command line, and waits until it was executed. */
  ask(line: string): Promise<void>
  stop(): Promise<void>
}

/** @param script in this folder; it prints the address of its server, then each command line that it has executed */
export async function startHost(script: string, ...args: readonly string[]): Promise<DatabaseProcess> {
  const host = Bun.spawn({
    cmd: [process.execPath, join(import.meta.dir, script), ...args],
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  host.unref()
  const nextLine = linesOf(host.stdout)
  return {
    address: await nextLine(),
    pid: host.pid,
    async ask(line) {
      host.stdin.write(`${line}\n`)
      await host.stdin.flush()
      await nextLine()
    },
    async stop() {
      host.stdin.end()
      await host.exited
    },
  }
}

/** @returns a function that reads the next line */
function linesOf(stream: ReadableStream<Uint8Array>): () => Promise<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  return async () => {
    while (!text.includes('\n')) {
      const { done, value } = await reader.read()
      if (done) throw new Error('the database server of the tests has ended')
      text += decoder.decode(value, { stream: true })
    }
    const [line = '', ...rest] = text.split('\n')
    text = rest.join('\n')
    return line
  }
}

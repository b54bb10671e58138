import { join } from 'node:path'

/** A database server of the tests, in a process of its own that ends with whoever started it. */
interface DatabaseProcess {
  readonly address: string
  /** Sends a line, and waits until it has been done. */
  ask(line: string): Promise<void>
  stop(): Promise<void>
}

/** @param script beside this file; it prints the address of its server, then each line that it has done */
export async function startHost(script: string): Promise<DatabaseProcess> {
  const host = Bun.spawn({ cmd: [process.execPath, join(import.meta.dir, script)], stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  host.unref()
  const nextLine = linesOf(host.stdout)
  return {
    address: await nextLine(),
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

/** @returns reads the next line */
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

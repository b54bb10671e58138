import { Database } from 'bun:sqlite'

// A process beside the server that uses the same SQLite file, as a database browser does. Run as a program, it runs the statements that its
// parent sends.

export interface OtherProcess {
  /** Resolves when the statement has ended. @throws Error with SQLite's message */
  run(sql: string): Promise<void>
  close(): Promise<void>
}

export function openOtherProcess(path: string): OtherProcess {
  const waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []
  const child = Bun.spawn({
    cmd: [process.execPath, '--no-orphans', import.meta.path, path],
    stdio: ['ignore', 'ignore', 'inherit'],
    ipc(message: string) {
      const next = waiting.shift()
      if (message === '') next?.resolve()
      else next?.reject(new Error(message))
    },
  })
  return {
    run(sql) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.push({ resolve, reject })
      child.send(sql)
      return promise
    },
    async close() {
      child.kill()
      await child.exited
    },
  }
}

if (import.meta.main) {
  const file = new Database(process.argv[2])
  file.run('PRAGMA busy_timeout = 30000')
  process.on('message', (sql: string) => {
    try {
      file.run(sql)
      process.send?.('')
    } catch (error) {
      process.send?.(String(error))
    }
  })
}

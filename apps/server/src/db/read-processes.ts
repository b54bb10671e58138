import type { SQLQueryBindings } from 'bun:sqlite'
import type { Subprocess } from 'bun'
import { AppError } from '../lib/app-error.ts'
import { lowerPriority } from './lower-priority.ts'
import type { ReadCommand, ReadResult } from './serve-reads.ts'

/** Runs slow queries of a SQLite file in processes of their own, so that they delay neither requests nor writes. */
export interface ReadProcesses {
  /** @throws AppError `query_too_slow` when a query exceeds its time limit, or too many wait */
  run(sql: string, parameters: readonly SQLQueryBindings[]): Promise<readonly unknown[]>
  close(): Promise<void>
}

export interface ReadLimits {
  /** Longest time of one query in milliseconds; then its process is killed. */
  readonly queryMs: number
  /** Most processes at once. */
  readonly processes: number
  /** Most queries that wait for a process. */
  readonly waiting: number
  /** Milliseconds after which an idle process ends. */
  readonly idleMs: number
}

/** A process takes some 20 ms to start and 30 MB of memory, so it is started on demand and ends when idle. */
export const readLimits: ReadLimits = { queryMs: 8_000, processes: 2, waiting: 64, idleMs: 60_000 }

interface Query {
  readonly command: ReadCommand
  readonly resolve: (rows: readonly unknown[]) => void
  readonly reject: (error: unknown) => void
}

interface Reader {
  readonly child: Subprocess
  /** The running query; `null` = idle. */
  query: Query | null
  timer: ReturnType<typeof setTimeout>
}

export function createReadProcesses(command: readonly string[], limits: ReadLimits = readLimits): ReadProcesses {
  const readers = new Set<Reader>()
  const waiting: Query[] = []
  let nextId = 1
  let isClosed = false

  function startReader(): Reader {
    const child = Bun.spawn({
      cmd: [...command],
      serialization: 'advanced',
      env: {},
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
      // Holds: the program of the process sends nothing else.
      ipc: (message) => finish(reader, message as ReadResult),
      onExit: () => onExit(reader),
    })
    child.unref()
    const reader: Reader = { child, query: null, timer: setTimeout(() => {}, 0) }
    readers.add(reader)
    lowerPriority(child.pid)
    return reader
  }

  function give(reader: Reader, query: Query): void {
    clearTimeout(reader.timer)
    reader.query = query
    reader.timer = setTimeout(() => reader.child.kill('SIGKILL'), limits.queryMs)
    reader.child.send(query.command)
  }

  function finish(reader: Reader, result: ReadResult): void {
    const { query } = reader
    if (query?.command.id !== result.id) return
    reader.query = null
    if ('rows' in result) query.resolve(result.rows)
    else query.reject(new Error(`a query of the reading process failed: ${result.message}`))
    clearTimeout(reader.timer)
    const next = waiting.shift()
    if (next === undefined) rest(reader)
    else give(reader, next)
  }

  function rest(reader: Reader): void {
    reader.timer = setTimeout(() => reader.child.kill('SIGKILL'), limits.idleMs)
    reader.timer.unref()
  }

  /** Its query was killed with it; waiting queries get a new process. */
  function onExit(reader: Reader): void {
    clearTimeout(reader.timer)
    readers.delete(reader)
    reader.query?.reject(new AppError(isClosed ? 'database_unavailable' : 'query_too_slow'))
    const next = waiting.shift()
    if (next !== undefined) give(startReader(), next)
  }

  return {
    run(sql, parameters) {
      if (isClosed) return Promise.reject(new AppError('database_unavailable'))
      const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>()
      const query: Query = { command: { id: nextId++, sql, parameters }, resolve, reject }
      const reader = [...readers].find((one) => one.query === null) ?? (readers.size < limits.processes ? startReader() : null)
      if (reader !== null) give(reader, query)
      else if (waiting.length < limits.waiting) waiting.push(query)
      else reject(new AppError('query_too_slow'))
      return promise
    },
    async close() {
      isClosed = true
      for (const query of waiting.splice(0)) query.reject(new AppError('database_unavailable'))
      const all = [...readers]
      for (const { child } of all) child.kill('SIGKILL')
      await Promise.all(all.map(({ child }) => child.exited))
    },
  }
}

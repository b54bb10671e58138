import { join } from 'node:path'
import { isInsideExecutable } from '../lib/inside-executable.ts'
import { ignoreAllSignals } from '../lib/signals.ts'
import { backUpSqlite } from './back-up.ts'

/** The command that copies a SQLite file in a process of its own: the single executable itself, or `back-up-process.ts`. */
export function backUpCommand(path: string, copy: string): readonly string[] {
  return isInsideExecutable(import.meta.dir)
    ? [process.execPath, 'back-up-store', path, copy]
    : [process.execPath, join(import.meta.dir, 'back-up-process.ts'), path, copy]
}

/** Copies a database and prints what is in the copy as JSON, or on standard error why there is none. @returns the exit code */
export function runBackUp(path: string, copy: string): number {
  ignoreAllSignals()
  try {
    console.log(JSON.stringify(backUpSqlite(path, copy)))
    return 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    return 1
  }
}

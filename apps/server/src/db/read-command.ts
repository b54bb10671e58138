import { join } from 'node:path'
import { isInsideExecutable } from '../lib/inside-executable.ts'

/** The command that starts a reading process of a SQLite file: the single executable itself, or `read-process.ts`. */
export function readCommand(path: string): readonly string[] {
  return isInsideExecutable(import.meta.dir)
    ? [process.execPath, 'read-store', path]
    : [process.execPath, join(import.meta.dir, 'read-process.ts'), path]
}

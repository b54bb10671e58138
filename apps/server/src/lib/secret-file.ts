import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes one line that only the server's account can read. Written under another name and renamed, so that the file is never incomplete. */
export function writeSecretFile(path: string, line: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const part = `${path}.part`
  rmSync(part, { force: true })
  writeFileSync(part, `${line}\n`, { mode: 0o600, flag: 'wx', flush: true })
  renameSync(part, path)
}

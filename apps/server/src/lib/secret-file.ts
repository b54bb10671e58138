import { closeSync, fsyncSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { createPrivateFile, makePrivateFolder } from './private-file.ts'

/** Writes one line that only the server's account can read. Written under another name and renamed, so that the file is never incomplete. */
export function writeSecretFile(path: string, line: string): void {
  makePrivateFolder(dirname(path))
  const part = `${path}.part`
  rmSync(part, { force: true })
  const descriptor = createPrivateFile(part)
  try {
    writeSync(descriptor, `${line}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(part, path)
}

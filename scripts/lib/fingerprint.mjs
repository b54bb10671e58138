import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

const skipped = new Set(['dist', 'node_modules'])

/**
 * One hash over names and contents, so that a new checkout and an old one with the same sources have the same hash.
 * @param sources files and folders, from the repository's root
 * @param setting other input of the build
 */
export function fingerprint(sources, setting = '') {
  const hash = createHash('sha256').update(setting)
  for (const file of sources.flatMap(filesOf))
    hash
      .update(file.replaceAll('\\', '/'))
      .update('\0')
      .update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function filesOf(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  const names = readdirSync(join(root, path)).filter((name) => !skipped.has(name))
  return names.sort().flatMap((name) => filesOf(join(path, name)))
}

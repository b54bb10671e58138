import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

/** The sources of the server. */
export const source = join(root, 'apps/server/src')

/** Modules that the server starts by their names as threads or processes. A bundler does not find them, so they are listed for it. */
export function modulesEndingIn(ending) {
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending))
  return names.map((name) => join(source, name))
}

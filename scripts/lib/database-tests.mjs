import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './run.mjs'

/** Whatever opens a database in a test does it through this file. */
const stores = join(root, 'apps/server/test/stores.ts')

const imported = /(?:from|import\() ?'(\.[^']+\.ts)'/g
const known = new Map()

/** Whether a test or a helper of tests leads to `stores` through its imports. */
function reachesStores(file) {
  if (file === stores) return true
  const before = known.get(file)
  if (before !== undefined) return before
  // Until the response is known, so that circles end.
  known.set(file, false)
  const isHelper = (path) => path.includes('/test/') || path.endsWith('.test.ts')
  const reaches = [...readFileSync(file, 'utf8').matchAll(imported)]
    .map(([, path]) => join(dirname(file), path))
    .some((path) => isHelper(path) && existsSync(path) && reachesStores(path))
  known.set(file, reaches)
  return reaches
}

/**
 * Tests of some folders and files, relative to the root, that use the database. The others would do the same on every engine.
 */
export function databaseTests(places) {
  const files = places.flatMap((place) => {
    const path = join(root, place)
    if (!statSync(path).isDirectory()) return [path]
    return readdirSync(path, { recursive: true })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => join(path, name))
  })
  return files.filter(reachesStores).map((file) => `./${relative(root, file)}`)
}

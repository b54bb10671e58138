import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface LockedPackage {
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly resolved?: string
}

// npm's lockfile (version 3) has one row for each path; `node_modules/a/node_modules/b` is the version of b that only a uses.
const { packages } = JSON.parse(readFileSync(join(import.meta.dir, '../package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

test('the lockfile has rows for the optional packages of every platform: `npm ci` of npm 11 fails without them', () => {
  const missing = Object.entries(packages).flatMap(([path, row]) =>
    Object.keys(row.optionalDependencies ?? {}).filter((name) => !placesOf(name, path).some((place) => place in packages)),
  )
  expect(missing).toEqual([])
})

test('the lockfile names no host of a package registry', () => {
  expect(Object.entries(packages).filter(([, row]) => row.resolved?.includes('://'))).toEqual([])
})

/** Where the package at `path` looks for a dependency: in its own folder, then in each folder above. */
function placesOf(name: string, path: string): readonly string[] {
  const above = path.lastIndexOf('node_modules/')
  const own = path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`
  return above === -1 ? [own, `node_modules/${name}`] : [own, ...placesOf(name, path.slice(0, above).replace(/\/$/, ''))]
}

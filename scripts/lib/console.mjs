import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprint } from './fingerprint.mjs'
import { fail, root, runKeeping } from './run.mjs'

const folder = join(root, 'apps/console')
/** Folder of the built console. */
export const consoleFolder = join(folder, 'dist')
const stamp = join(consoleFolder, '.stamp')
/** Sources of the console. */
const sources = ['apps/console', 'packages/contract/src', 'packages/vendors/src', 'package-lock.json', 'tsconfig.base.json']

/** Builds the console if its sources have changed since the last build. */
export async function buildConsole(bun) {
  const { isBuilt } = await tryBuildConsole(bun)
  if (!isBuilt) fail('The console could not be built; the message above says why.')
}

/** @returns whether the built console is up to date, and the output of the build */
export async function tryBuildConsole(bun) {
  const current = fingerprint(sources, process.env.VITE_SERVER)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === current) return { isBuilt: true, text: '' }
  console.log('Building the console (only when its sources have changed)...')
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  // Without this Bun makes a development build, with the slower and larger version of React.
  const env = { ...process.env, NODE_ENV: 'production' }
  const { code, text } = await runKeeping(bun, [vite, 'build', '--logLevel', 'warn'], { cwd: folder, env })
  if (code === 0) writeFileSync(stamp, current)
  return { isBuilt: code === 0, text }
}

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, root, runThrough } from './run.mjs'

/** Installs packages of the lockfile that are missing or have another version; otherwise it takes a few milliseconds. */
export function installMissing() {
  if (Number.parseInt(process.versions.node, 10) < 20) fail(`Node 20 or newer is needed; this is ${process.versions.node}.`)
  if (isInstalled()) return
  console.log('Installing dependencies (only when they are missing or have changed)...')
  // `install --no-save` rather than `ci`: both install the versions of the lockfile without changing it, but `ci` deletes node_modules
  // first. The console is built and the checks run here, so development dependencies are needed whatever NODE_ENV says.
  const [program, ...args] = [...npm(), 'install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  if (runThrough(program, args) !== 0) fail('npm could not install the dependencies; its message is above.')
}

/** npm records installed packages only at the end, so an interrupted or partial installation differs from the lockfile. */
function isInstalled() {
  const written = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(written)) return false
  const installed = packagesOf(written)
  return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(([path, row]) => {
    if (row.link) return existsSync(join(root, path))
    // Ignores optional packages, which are for other platforms, and folders outside node_modules, which are our own.
    return row.optional || !path.includes('node_modules/') || installed[path]?.version === row.version
  })
}

function packagesOf(lockfile) {
  return JSON.parse(readFileSync(lockfile, 'utf8')).packages
}

/** The program file of the npm that runs this script, because `npm` itself can be a shell script that cannot be spawned. */
function npm() {
  const cli = process.env.npm_execpath
  if (cli && /npm-cli\.js$/.test(cli)) return [process.execPath, cli]
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm']
}

/** The path of a Bun program that runs on this machine. */
export function findBun() {
  const path = bunPlaces().find(works)
  if (path) return path
  // If npm runs no install scripts, this platform's program is in another package, which Bun's install script finds.
  spawnSync(process.execPath, [join(root, 'node_modules/bun/install.js')], { cwd: join(root, 'node_modules/bun') })
  return bunPlaces().find(works) ?? fail('The Bun runtime from node_modules does not run on this machine.')
}

/** Possible paths of the Bun program; without install scripts its usual path contains only a text about that. */
function bunPlaces() {
  const modules = join(root, 'node_modules')
  const scope = join(modules, '@oven')
  const platforms = existsSync(scope) ? readdirSync(scope).map((name) => join(scope, name, 'bin/bun')) : []
  return [join(modules, 'bun/bin/bun.exe'), join(modules, 'bun/bin/bun'), ...platforms, ...platforms.map((path) => `${path}.exe`)]
}

function works(path) {
  return existsSync(path) && spawnSync(path, ['--version']).status === 0
}

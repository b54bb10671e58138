import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { root } from './run.mjs'

/** The headless shell comes first: it needs about half the CPU of a whole browser. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Runs the program, because on some systems it only prints how to install the real one, or a library is missing. */
function works(path) {
  return existsSync(path) && spawnSync(path, ['--version'], { timeout: 30_000 }).status === 0
}

function onPath() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin']
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(works) ?? null
}

/** The browser that Playwright has downloaded, if any. */
function ofPlaywright() {
  const script = "import('@playwright/test').then(({ chromium }) => console.log(chromium.executablePath()))"
  const path = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' }).stdout?.trim()
  return path && works(path) ? path : null
}

function find() {
  const configured = process.env.CHROMIUM_PATH
  return configured && works(configured) ? configured : (onPath() ?? ofPlaywright())
}

/** @returns whether Debian's package manager has installed it */
function installsPackage(name) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync('apt-get', ['install', '-y', '--no-install-recommends', name], { stdio: 'ignore', env }).status === 0
}

/** A Chromium for the tests; installs one if there is none. `null` = not possible, which is printed. */
export function findChromium() {
  const path = find()
  if (path) return path
  console.log('No Chromium found; installing one for the browser tests...')
  const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (isDebianRoot) {
    spawnSync('apt-get', ['update'], { stdio: 'ignore' })
    // Not every release of Debian has the headless shell.
    if (!installsPackage('chromium-headless-shell')) installsPackage('chromium')
  } else {
    spawnSync(process.execPath, [join(root, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium'], { stdio: 'ignore' })
  }
  const installed = find()
  if (!installed) console.log('Chromium could not be installed, so the browser tests cannot run. Set CHROMIUM_PATH to a Chromium of yours.')
  return installed
}

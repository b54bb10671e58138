import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { findChromium } from './chromium.mjs'
import { tryBuildConsole } from './console.mjs'
import { failuresOfBun, failuresOfReport, lastLines } from './failures.mjs'
import { root, runKeeping } from './run.mjs'
import { secondsOfReport, slowestLine } from './slowest.mjs'

const bin = (name) => join(root, 'node_modules', name)

const onePassed = { passed: 1, failed: 0, failures: [] }

/** A program that passes or fails as a whole. */
async function asOne(name, program, args) {
  const { code, text } = await runKeeping(program, args)
  return code === 0 ? onePassed : { passed: 0, failed: 1, failures: [{ name, why: lastLines(text) }] }
}

/** A runner that ran no tests has not passed. If it failed without naming a test, its output is reported. */
function counted({ passed, failed, failures }, { code, text }) {
  const isBad = failed > 0 || code !== 0 || passed === 0
  if (!isBad) return { passed, failed, failures: [] }
  const unnamed = { name: `ended with code ${code}, ${passed} passed`, why: lastLines(text) }
  return { passed, failed: Math.max(failed, 1), failures: failures.length === 0 ? [unnamed] : failures }
}

const projects = ['packages/contract', 'packages/http1', 'packages/vendors', 'apps/server', 'apps/console', 'tsconfig.tests.json']

export const typeCheck = {
  name: 'types',
  async run() {
    const results = []
    for (const project of projects) results.push(await asOne(project, process.execPath, [bin('typescript/bin/tsc'), '-p', project]))
    const failures = results.flatMap((result) => result.failures)
    return { passed: results.length - failures.length, failed: failures.length, failures }
  },
}

export const lint = {
  name: 'format and lint',
  run: () =>
    asOne('biome', process.execPath, [bin('@biomejs/biome/bin/biome'), 'ci', `--colors=${process.stdout.isTTY ? 'force' : 'off'}`]),
}

export const unused = { name: 'unused code', run: () => asOne('knip', process.execPath, [bin('knip/bin/knip.js')]) }

/** A machine of CI may stand still for seconds: what fails there is tried once more. The error of the first try is in the output. */
const retries = process.env.CI === 'true' ? ['--retry=1'] : []

/** Runs Bun's tests of some folders and files, with Bun's options before them; the counts are in its last lines. */
export const bunTests = (name, args, variables = {}) => ({
  name,
  async run({ bun, isBesideOthers }) {
    const env = { ...process.env, ...variables }
    const report = join(tmpdir(), `sluice-tests-${randomUUID()}.xml`)
    const options = ['--only-failures', '--timeout', '120000', '--reporter=junit', `--reporter-outfile=${report}`, ...retries]
    const ended = await runKeeping(bun, ['test', ...options, ...args], { env, isBesideOthers })
    if (existsSync(report)) console.log(slowestLine(secondsOfReport(readFileSync(report, 'utf8'))))
    rmSync(report, { force: true })
    const plain = stripVTControlCharacters(ended.text)
    const count = (word) => Number(new RegExp(`^\\s*(\\d+) ${word}$`, 'm').exec(plain)?.[1] ?? 0)
    return counted({ passed: count('pass'), failed: count('fail'), failures: failuresOfBun(plain) }, ended)
  },
})

/** Tests split into several runs beside each other: most of their time is spent waiting. */
export const inShards = (count, { name, args, variables }) =>
  Array.from({ length: count }, (_, index) =>
    bunTests(`${name}, ${index + 1} of ${count}`, [`--shard=${index + 1}/${count}`, ...args], variables),
  )

/** Files that Bun does not take for tests by their names. */
const longFiles = () =>
  ['packages', 'apps', 'tools', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((name) => name.endsWith('.long.ts') && !name.includes('node_modules'))
      .map((name) => `./${folder}/${name}`),
  )

const longRun = (name, files, variables) => ({ name, run: (place) => bunTests(name, files(), variables()).run(place) })

/** After the build of the console. The walk over damaged values is done on both engines. */
export const longTests = [
  longRun('long tests', longFiles, () => ({ CHROMIUM_PATH: findChromium() ?? '' })),
  longRun(
    'long tests on PostgreSQL',
    () => longFiles().filter((name) => name.includes('/damaged-')),
    () => ({ TEST_ENGINE: 'postgres' }),
  ),
]

export const consoleBuild = {
  name: 'console build',
  async run({ bun }) {
    const { isBuilt, text } = await tryBuildConsole(bun)
    return isBuilt ? onePassed : { passed: 0, failed: 1, failures: [{ name: 'vite', why: lastLines(text) }] }
  },
}

/** After the build of the console. */
export const consoleSizes = bunTests('sizes of the console', ['./tools/console-sizes.check.ts'])

/** After the build of the console: whether its files use only what the browsers of its list have. */
export const consoleBrowsers = bunTests('browsers of the console', ['./tools/browser-support.check.ts'])

const browserConfig = 'e2e/playwright.config.ts'
/** On a terminal one line that is overwritten; elsewhere, and beside other checks, only failures are printed. */
const reporterOf = (isBesideOthers) => (process.stdout.isTTY && !isBesideOthers ? 'line' : join(root, 'scripts/lib/failing-reporter.mjs'))

const playwright = (name, projects, variables = {}) => ({
  name,
  async run({ bun, isBesideOthers }) {
    if (!existsSync(join(root, browserConfig))) {
      console.log(`No ${browserConfig}, so there is nothing to run.`)
      return { passed: 0, failed: 0, failures: [] }
    }
    const chromium = findChromium()
    if (chromium === null) return withoutBrowser()
    const report = join(tmpdir(), `sluice-playwright-${process.pid}.json`)
    const env = { ...process.env, ...variables, CHROMIUM_PATH: chromium, BUN_PATH: bun, PLAYWRIGHT_JSON_OUTPUT_NAME: report }
    const args = [bin('@playwright/test/cli.js'), 'test', '-c', browserConfig, `--reporter=${reporterOf(isBesideOthers)},json`, ...projects]
    const ended = await runKeeping(process.execPath, args, { env, isBesideOthers })
    const results = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { stats: { expected: 0, unexpected: 1, flaky: 0 } }
    rmSync(report, { force: true })
    const { expected, flaky, unexpected } = results.stats
    return counted({ passed: expected + flaky, failed: unexpected, failures: failuresOfReport(results) }, ended)
  },
})

/** Three browsers keep two cores busy. */
export const browserTests = { ...playwright('browser tests', []), takes: 3 }
/** Recreates the image of the README; not a test. */
export const readmeImage = playwright('readme-image', ['--project=readme-image'], { README_IMAGE: 'true' })

/** Writes images of all pages to test-results/screenshots; not a test. */
export const screenshots = playwright('screenshots', ['--project=screenshots', '--project=screenshots-phone'], { SCREENSHOTS: 'true' })

const flowsOnLargeLog = playwright('flows on a large log', ['--project=large', '--workers=1'], { LARGE: 'true' })

/** Runs each flow of the console on a log of a million rows, and prints what its pages waited for. `LARGE_FOLDER` keeps the database for further runs. */
export const large = {
  ...flowsOnLargeLog,
  async run(context) {
    const kept = process.env.LARGE_FOLDER
    // A failed test ends the worker: the next one uses the database that is there.
    const folder = kept ?? mkdtempSync(join(tmpdir(), 'sluice-large-'))
    process.env.LARGE_FOLDER = folder
    const outcome = await flowsOnLargeLog.run(context)
    printFolder('large')
    if (kept === undefined) rmSync(folder, { recursive: true, force: true })
    return outcome
  },
}

const measurement = playwright('speed', ['--project=speed', '--workers=1'], { SPEED: 'true' })

/** Measures the console, and prints the medians beside their targets; not a test. */
export const speed = {
  ...measurement,
  async run(context) {
    const outcome = await measurement.run(context)
    printFolder('speed')
    return outcome
  },
}

/** Prints what tests have measured: the files of a folder of their results. */
function printFolder(name) {
  const folder = join(root, 'test-results', name)
  if (existsSync(folder)) for (const file of readdirSync(folder).sort()) console.log(readFileSync(join(folder, file), 'utf8'))
}

/** Without a browser the other checks are still useful to a developer; in CI it is a failure. */
function withoutBrowser() {
  if (process.env.CI !== 'true') return { passed: 0, failed: 0, failures: [] }
  return { passed: 0, failed: 1, failures: [{ name: 'no Chromium', why: ['None was found and none could be installed.'] }] }
}

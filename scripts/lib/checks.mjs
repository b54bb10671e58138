import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { findChromium } from './chromium.mjs'
import { tryBuildConsole } from './console.mjs'
import { root, runKeeping } from './run.mjs'

const bin = (name) => join(root, 'node_modules', name)

/** A program that passes or fails as a whole. */
async function asOne(program, args, options) {
  const { code } = await runKeeping(program, args, options)
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** A runner that executed nothing has not passed. */
function counted({ passed, failed, code }) {
  return { passed, failed: failed === 0 && (code !== 0 || passed === 0) ? 1 : failed }
}

const projects = ['packages/contract', 'packages/vendors', 'apps/server', 'apps/console', 'tsconfig.tests.json']

export const typeCheck = {
  name: 'types',
  async run() {
    const results = []
    for (const project of projects) results.push(await asOne(process.execPath, [bin('typescript/bin/tsc'), '-p', project]))
    return { passed: results.filter(({ failed }) => failed === 0).length, failed: results.filter(({ failed }) => failed > 0).length }
  },
}

export const lint = {
  name: 'format and lint',
  run: () => asOne(process.execPath, [bin('@biomejs/biome/bin/biome'), 'ci', `--colors=${process.stdout.isTTY ? 'force' : 'off'}`]),
}

export const unused = { name: 'unused code', run: () => asOne(process.execPath, [bin('knip/bin/knip.js')]) }

/** Bun's tests of some folders; its last lines say how many passed and failed. */
export const bunTests = (name, folders, variables = {}) => ({
  name,
  async run({ bun, isBesideOthers }) {
    const env = { ...process.env, ...variables }
    const { code, text } = await runKeeping(bun, ['test', '--only-failures', '--timeout', '120000', ...folders], { env, isBesideOthers })
    const plain = stripVTControlCharacters(text)
    const count = (word) => Number(new RegExp(`^\\s*(\\d+) ${word}$`, 'm').exec(plain)?.[1] ?? 0)
    return counted({ passed: count('pass'), failed: count('fail'), code })
  },
})

export const consoleBuild = {
  name: 'console build',
  run({ bun }) {
    return tryBuildConsole(bun) ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
  },
}

const browserConfig = 'e2e/playwright.config.ts'

export const browserTests = {
  name: 'browser tests',
  async run({ bun }) {
    if (!existsSync(join(root, browserConfig))) {
      console.log(`No ${browserConfig}, so there is nothing to run.`)
      return { passed: 0, failed: 0 }
    }
    const chromium = findChromium()
    if (chromium === null) return { passed: 0, failed: process.env.CI === 'true' ? 1 : 0 }
    const report = join(tmpdir(), `sluice-playwright-${process.pid}.json`)
    const env = { ...process.env, CHROMIUM_PATH: chromium, BUN_PATH: bun, PLAYWRIGHT_JSON_OUTPUT_NAME: report }
    const { code } = await runKeeping(
      process.execPath,
      [bin('@playwright/test/cli.js'), 'test', '-c', browserConfig, '--reporter=line,json'],
      { env },
    )
    const stats = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).stats : { expected: 0, unexpected: 1, flaky: 0 }
    rmSync(report, { force: true })
    return counted({ passed: stats.expected + stats.flaky, failed: stats.unexpected, code })
  },
}

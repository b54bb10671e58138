import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '@sluice/contract'
import { runServer } from '../test/server-process.ts'
import { adminForms } from './admin/run-admin.ts'
import { commandNames } from './commands.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-commands-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const dataDir = join(folder, 'data')
const run = (...words: readonly string[]) => runServer(words, { DATA_DIR: dataDir })

test.each([['--help'], ['-h'], ['help']])('%s lists every command, and starts nothing', async (word) => {
  const { code, text } = await run(word)
  expect(code).toBe(0)
  for (const name of commandNames) expect(text).toContain(`\n  ${name} `)
  expect(existsSync(dataDir)).toBe(false)
})

test.each([['--version'], ['-v'], ['version']])('%s prints the version, and starts nothing', async (word) => {
  expect(await run(word)).toEqual({ code: 0, text: `Sluice ${version}\n` })
  expect(existsSync(dataDir)).toBe(false)
})

test.each([['adminn'], ['--prot'], ['start'], ['x'.repeat(5_000)], ['toString'], ['read-store'], ['back-up-store']])(
  'an unknown word is named, the commands are listed, and nothing starts (%#)',
  async (word) => {
    const { code, text } = await run(word)
    expect(code).toBe(1)
    expect(text).toStartWith(`Unknown command ${JSON.stringify(word.slice(0, 60))}`)
    expect(text).toContain('Usage: sluice [COMMAND]')
    expect(text.length).toBeLessThan(3_000)
    expect(existsSync(dataDir)).toBe(false)
  },
)

test.each(commandNames.map((name) => [name]))('%s --help prints what follows the command, and does nothing', async (name) => {
  for (const word of ['--help', '-h']) {
    const { code, text } = await run(name, word)
    expect([code, text]).toEqual([0, expect.stringContaining(`Usage: ${name}`)])
  }
  expect(existsSync(dataDir)).toBe(false)
})

test('a command of `admin` explains itself too', async () => {
  for (const words of [['--help'], ['backup', '--help'], ['rotate-secret', '-h']]) {
    expect(await run('admin', ...words)).toEqual({ code: 0, text: expect.stringContaining('Usage: admin COMMAND') })
  }
  expect(existsSync(dataDir)).toBe(false)
})

const page = readFileSync(join(import.meta.dir, '../../../docs/admin.md'), 'utf8')

test.each(commandNames.map((name) => [name]))(
  'docs/admin.md says how `%s` runs in a clone, as the executable and in a container',
  (name) => {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${name}`)) ?? ''
    expect(row).toContain(`\`npm run ${name}`)
    expect(row).toContain(`\`sluice ${name}`)
    expect(row).toMatch(new RegExp(`\`docker compose (?:run --rm|exec) (?:-v \\S+ )?sluice (?:/app/sluice )?${name}`))
  },
)

test('docs/admin.md has a row for every form of the commands of `admin`', () => {
  const names = adminForms.map(({ name, parameters }) => `| \`${[name, ...(parameters === '' ? [] : [parameters])].join(' ')}\` |`)
  expect(names.filter((start) => !page.includes(`\n${start}`))).toEqual([])
})

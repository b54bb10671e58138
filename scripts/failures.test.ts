import { expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureLines, failuresOfBun, failuresOfReport, lastLines } from './lib/failures.mjs'

// The summary of failures that `npm test` prints before its last line.

/** Tests that fail in every possible way, run by the real runner. */
const failing = `import { afterAll, expect, test } from 'bun:test'
afterAll(() => { throw new TypeError('at the end') })
test('works', () => console.log('printed by a test that works'))
test('differs', () => {
  console.log('printed before')
  expect({ a: 1 }).toEqual({ a: 2 })
})
test('never ends', () => new Promise(() => undefined), 20)
`
const notLoaded = `import { test } from 'bun:test'
throw new Error('not even loaded')
`

async function textOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-failures-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const runner = Bun.spawn([process.execPath, 'test', '--only-failures'], { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
  const texts = await Promise.all([new Response(runner.stdout).text(), new Response(runner.stderr).text()])
  await rm(folder, { recursive: true })
  return texts.join('')
}

test('each failed test is listed with its file and its error, without source lines and earlier output', async () => {
  const failures = failuresOfBun(await textOf({ 'a.test.ts': failing, 'b.test.ts': notLoaded }))
  expect(failures.map(({ name }) => name)).toEqual([
    'a.test.ts: differs',
    'a.test.ts: never ends',
    'a.test.ts: (unnamed)',
    'b.test.ts: outside of its tests',
  ])
  const [differs, neverEnds, atTheEnd, outside] = failures.map(({ why }) => why.join('\n'))
  expect(differs).toStartWith('error: expect(received).toEqual(expected)\n')
  expect(differs).toContain('-   "a": 2,\n+   "a": 1,')
  expect(differs).toMatch(/at .*a\.test\.ts:6:\d+/)
  expect(differs).not.toContain('printed')
  expect(neverEnds).toContain('timed out after 20ms')
  expect(atTheEnd).toStartWith('TypeError: at the end\n')
  expect(outside).toStartWith('error: not even loaded\n')
})

test('a run that passed has no failures', () => {
  expect(failuresOfBun('a.test.ts:\n(pass) works [0.10ms]\n\n 1 pass\n 0 fail\n')).toEqual([])
  expect(failureLines([{ check: 'types', failures: [] }])).toEqual([])
})

test('each unexpected test of a Playwright report is listed with its error, and so are errors outside of tests', () => {
  const spec = (title: string, status: string, message: string) => ({
    title,
    file: 'log.spec.ts',
    line: 7,
    tests: [{ projectName: 'desktop', status, results: [{ errors: [{ message }] }] }],
  })
  const report = {
    suites: [
      {
        title: 'log.spec.ts',
        file: 'log.spec.ts',
        specs: [spec('works', 'expected', '')],
        suites: [
          { title: 'the table', file: 'log.spec.ts', specs: [spec('is sorted', 'unexpected', '\u001b[31mError: not\u001b[39m\n\nsorted')] },
        ],
      },
    ],
    errors: [{ message: 'Error: no such file' }],
  }
  expect(failuresOfReport(report)).toEqual([
    { name: '[desktop] log.spec.ts:7 › the table › is sorted', why: ['Error: not', 'sorted'] },
    { name: 'outside of the tests', why: ['Error: no such file'] },
  ])
})

test('failures are listed check by check, the more there are the fewer lines for each, in about two hundred lines at most', () => {
  const why = Array.from({ length: 90 }, (_, index) => `line ${index}`)
  const failuresOf = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `test ${index}`, why }))
  const one = failureLines([
    { check: 'types', failures: [] },
    { check: 'units', failures: failuresOf(1) },
  ])
  expect(one.slice(0, 4)).toEqual(['', '== what failed', '-- units: test 0', 'line 0'])
  expect(one.slice(-2)).toEqual(['line 39', '... and 50 lines more'])
  for (const count of [2, 5, 60, 150, 4_000]) {
    const lines = failureLines([{ check: 'units', failures: failuresOf(count) }])
    expect(lines.length).toBeLessThanOrEqual(203)
    expect(lines.filter((line) => line.startsWith('-- '))).toHaveLength(Math.min(count, 200))
  }
})

test('a program that fails as a whole is listed with its last lines, without colours', () => {
  const text = Array.from({ length: 100 }, (_, index) => `\u001b[1mline ${index}\u001b[0m\n`).join('')
  expect(lastLines(text)).toEqual(Array.from({ length: 30 }, (_, index) => `line ${index + 70}`))
})

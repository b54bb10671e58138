import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { optionKeys, options, rateLimits } from '@sluice/contract'
import { type ErrorCode, errorRow, errors } from '@sluice/contract/errors'
import { readEnv } from '../src/env.ts'
import { secretVariables } from '../src/environment/secret-files.ts'
import { startServer } from './server-process.ts'

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errors, code)

const page = (name: string) => readFileSync(join(import.meta.dir, '../../../docs', name), 'utf8')

/** The shell scripts of a page. */
function scriptsOf(name: string): readonly string[] {
  return [...page(name).matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
}

/** The rows of a page's tables whose first cell is a name: name -> second cell. */
function rowsOf(name: string): ReadonlyMap<string, string> {
  return new Map([...page(name).matchAll(/^\| `(\w+)` \| ([^|]*) \|/gm)].map(([, key = '', text = '']) => [key, text]))
}

/** A folder with our replacement of curl, for machines without it. */
function ownCurl(folder: string): string {
  const file = join(folder, 'curl')
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dir, 'curl.ts')}" "$@"\n`)
  chmodSync(file, 0o755)
  return folder
}

const path = process.env['PATH'] ?? ''
const curls = [...(Bun.which('curl') === null ? [] : ['of the system']), 'of our own']

test.each(curls)('the calls of docs/api.md work as written, with the curl %s', async (curl) => {
  const [start = '', walk = ''] = scriptsOf('api.md')
  const [, accessToken = ''] = /INITIAL_ROOT_ACCESS_TOKEN=(\S+)/.exec(start) ?? []
  expect(start).toContain('npm start')
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-readme-'))
  const server = await startServer({ DATA_DIR: dataDir, INITIAL_ROOT_ACCESS_TOKEN: accessToken })
  try {
    const shell = Bun.spawn(['sh', '-e'], {
      // Only the port differs from the page, because another server may use the page's.
      stdin: new Blob([walk.replace('http://localhost:3000', server.url).replaceAll(/^(curl .*(?:\n {2}.*)*)/gm, '$1\necho')]),
      env: { PATH: curl === 'of our own' ? `${ownCurl(dataDir)}:${path}` : path, INITIAL_ROOT_ACCESS_TOKEN: accessToken },
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const printed = await new Response(shell.stdout).text()
    expect(await shell.exited).toBe(0)
    const responses = printed.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    expect(responses).toHaveLength(walk.match(/^curl/gm)?.length ?? 0)
    for (const response of responses) expect(response).toMatchObject({ success: true, message: '' })
    const [self, , channels, , users, , token, log] = responses.map(({ data }) => data)
    expect(self).toMatchObject({ username: 'root', role: 100 })
    expect(channels).toMatchObject([{ name: 'OpenAI', models: 'gpt-4o,gpt-4o-mini', key: '' }])
    expect(users).toMatchObject([{ id: 2, username: 'ann', role: 1 }])
    expect(token.key).toMatch(/^\w{48}$/)
    expect(log).toContainEqual(
      expect.objectContaining({ type: 1, username: 'ann', quota: 500_000, content: expect.stringContaining('welcome') }),
    )
  } finally {
    server.signal('SIGTERM')
    await server.exited
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('docs/variables.md lists every variable that the server reads', () => {
  const read = new Set<string>()
  readEnv(
    new Proxy<Record<string, string>>(
      {},
      {
        get(_, name) {
          read.add(String(name))
          return undefined
        },
      },
    ),
  )
  const rows = rowsOf('variables.md')
  const files = secretVariables.map((name) => `${name}_FILE`)
  // Names in small letters are other spellings.
  const expected = [...read].filter((name) => name === name.toUpperCase() && !files.some((file) => file === name))
  expect([...rows.keys()].toSorted()).toEqual(expected.toSorted())
})

test('docs/variables.md lists every variable that can be read from a file', () => {
  const [, list = ''] = /## Secrets in files\n\n.*\n\n((?:`.*\n)+)/.exec(page('variables.md')) ?? []
  expect([...list.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual([...secretVariables])
})

describe('docs/options.md', () => {
  const rows = rowsOf('options.md')

  test('lists no option that does not exist', () => {
    const known: ReadonlySet<string> = new Set(optionKeys)
    expect([...rows.keys()].filter((key) => !known.has(key))).toEqual([])
  })

  test.each(optionKeys)('lists the option %s and its default', (key) => {
    const { fallback, secret } = options[key]
    expect(rows.get(key)).toBe(secret ? 'empty, secret' : fallback === '' ? 'empty' : `\`${fallback}\``)
  })
})

test('docs/limits.md lists every rate limit and its value', () => {
  const written = Object.entries(rateLimits).map(([name, { count, perSeconds }]): [string, string] => [name, `${count}/${perSeconds}`])
  const classes = [...rowsOf('limits.md')].filter(([name]) => name in rateLimits)
  expect(classes).toEqual(written)
})

test('the errors of docs/troubleshooting.md have the status that the page names, and no retry where clients are advised against one', () => {
  const [, table = ''] = /## Clients get errors([\s\S]*?)\n## /.exec(page('troubleshooting.md')) ?? []
  const rows = [...table.matchAll(/^\| (\d{3} .*?) \|.*\| (yes|no) \|$/gm)]
  expect(rows.length).toBeGreaterThan(20)
  const wrong = rows.flatMap(([, cell = '', retry]) => {
    let status = 0
    return [...cell.matchAll(/(\d{3})|`(\w+)`/g)].flatMap(([, number, code = '']) => {
      if (number !== undefined) status = Number(number)
      if (number !== undefined || !isErrorCode(code)) return number === undefined ? [`${code} is no error`] : []
      const row = errorRow(code)
      const isWrong = row.status !== status || (row.final === true && retry === 'yes')
      return isWrong ? [`${code}: ${row.status}${row.final === true ? ', final' : ''}`] : []
    })
  })
  expect(wrong).toEqual([])
})

import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { optionKeys, options } from '@sluice/contract'
import { readEnv } from '../src/env.ts'
import { startServer } from './server-process.ts'

const readme = readFileSync(join(import.meta.dir, '../../../README.md'), 'utf8')

/** The scripts of one section, as they are written. */
function scriptsOf(section: string): readonly string[] {
  const text = readme.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
}

/** A folder with a curl of our own, for machines that have none: it knows the options that the page uses. */
function ownCurl(folder: string): string {
  const file = join(folder, 'curl')
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dir, 'curl.ts')}" "$@"\n`)
  chmodSync(file, 0o755)
  return folder
}

const path = process.env['PATH'] ?? ''
const curls = [...(Bun.which('curl') === null ? [] : ['of the system']), 'of our own']

test.each(curls)('"Manage it by API" works as written, with the curl %s', async (curl) => {
  const [start = '', walk = ''] = scriptsOf('Manage it by API')
  const [, accessToken = ''] = /INITIAL_ROOT_ACCESS_TOKEN=(\S+)/.exec(start) ?? []
  expect(start).toContain('npm start')
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-readme-'))
  const server = await startServer({ DATA_DIR: dataDir, INITIAL_ROOT_ACCESS_TOKEN: accessToken })
  try {
    const shell = Bun.spawn(['sh', '-e'], {
      // The one thing that differs from the page: another server may have the port that it names.
      stdin: new Blob([walk.replace('http://localhost:3000', server.url).replaceAll(/^(curl .*(?:\n {2}.*)*)/gm, '$1\necho')]),
      env: { PATH: curl === 'of our own' ? `${ownCurl(dataDir)}:${path}` : path, INITIAL_ROOT_ACCESS_TOKEN: accessToken },
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const printed = await new Response(shell.stdout).text()
    expect(await shell.exited).toBe(0)
    const answers = printed.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    expect(answers).toHaveLength(walk.match(/^curl/gm)?.length ?? 0)
    for (const answer of answers) expect(answer).toMatchObject({ success: true, message: '' })
    const [self, , channels, , users, , token, log] = answers.map(({ data }) => data)
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

describe('the section of the configuration', () => {
  const rows = new Map([...readme.matchAll(/^\| `(\w+)` \| ([^|]*) \|/gm)].map(([, name = '', told = '']) => [name, told]))

  test('names every variable that the server reads', () => {
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
    expect([...read].filter((name) => !rows.has(name))).toEqual([])
  })

  test.each(optionKeys)('names the option %s and what it is where nobody has set it', (key) => {
    const { fallback, secret } = options[key]
    expect(rows.get(key)).toBe(secret ? 'empty, secret' : fallback === '' ? 'empty' : `\`${fallback}\``)
  })
})

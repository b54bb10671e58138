import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addExampleVendor } from '../../../packages/vendors/test/example-vendor.ts'

// A vendor with OpenAI's protocol is one file and one line: a copy of the server that has both serves its channels.

const root = join(import.meta.dir, '../../..')
const copy = mkdtempSync(join(tmpdir(), 'sluice-made-up-'))
const packages = { contract: 'packages/contract', http1: 'packages/http1', vendors: 'packages/vendors', server: 'apps/server' }

beforeAll(() => {
  for (const folder of Object.values(packages)) {
    const isCopied = (path: string): boolean => !/\/(?:node_modules|dist|fixtures)(?:\/|$)/.test(path.slice(root.length))
    cpSync(join(root, folder), join(copy, folder), { recursive: true, filter: isCopied })
  }
  mkdirSync(join(copy, 'node_modules/@sluice'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@sluice') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  for (const [name, folder] of Object.entries(packages)) symlinkSync(join(copy, folder), join(copy, 'node_modules/@sluice', name))
  addExampleVendor(join(copy, 'packages/vendors/src'))
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

test('a vendor that is one file and one line serves chats and streams, is tested, and is offered with its models', async () => {
  const program = Bun.spawn([process.execPath, join(copy, 'apps/server/test/call-sample-vendor.ts')], { cwd: copy, stderr: 'pipe' })
  const [out, problems] = await Promise.all([new Response(program.stdout).text(), new Response(program.stderr).text()])
  expect(problems).toBe('')
  const { refused, whole, stream, tested, offered, sent: upstreamRequests } = JSON.parse(out)
  expect(refused).toEqual([expect.stringContaining('mu-...'), expect.stringContaining('https://{region}.made-up.example/api')])
  expect(whole.choices[0].message.content).toBe('Hello')
  expect(stream).toContain('" day"')
  expect(stream).toEndWith('data: [DONE]\n\n')
  expect(tested).toMatchObject({ success: true, model: 'gpt-4o-mini' })
  expect(offered).toEqual(['gpt-4o-mini'])
  expect(upstreamRequests).toHaveLength(3)
  const messages = [{ role: 'system', content: 'Be brief.' }]
  expect(upstreamRequests[0]).toMatchObject({ path: '/v1/chat/completions', key: 'Bearer mu-1', body: { model: 'gpt-4o-mini', messages } })
  expect(upstreamRequests[0].body).not.toHaveProperty('seed')
}, 60_000)

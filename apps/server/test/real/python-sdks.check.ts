import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type TestApp, testApp } from '../app.ts'
import { agentDoubles, makeAgentToken } from './agent-scene.ts'
import { agentResponse, command, laterResponseText, responseText, usage } from './agent-vendor.ts'

// The vendors' clients for Python: whole responses, streams, a tool and its result, a second turn, lists of models and errors.

const python = process.env['PYTHON_AT'] ?? ''

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

test.each(agentDoubles.map((double) => [double.name, double] as const))('all four read %s', async (_, double) => {
  app.upstream.fallback((request) => agentResponse(double, request))
  const token = await makeAgentToken(app, double)
  const running = Bun.spawn([python, join(import.meta.dir, 'python_clients.py')], {
    env: { PATH: process.env['PATH'] ?? '', SLUICE_URL: app.url, SLUICE_KEY: token, SLUICE_MODEL: double.model },
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 100_000,
  })
  const [output, errors, code] = await Promise.all([running.stdout.text(), running.stderr.text(), running.exited])
  expect([code, code === 0 ? '' : errors]).toEqual([0, ''])
  const read = {
    command: expect.objectContaining({ command }),
    ...{
      told: responseText,
      later: laterResponseText,
      usage: [usage.prompt, usage.completion],
      models: [double.model],
      counted: true,
      error: 404,
    },
  }
  expect(JSON.parse(output)).toEqual({ anthropic: read, 'openai, chats': read, 'openai, responses': read, 'google-genai': read })
})

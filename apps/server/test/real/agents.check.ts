import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, testApp } from '../app.ts'
import { clientRequests } from '../vendors/client-requests.ts'
import { agentDoubles, makeAgentToken } from './agent-scene.ts'
import { agentResponse, laterQuestion, laterResponseText, printed, responseText } from './agent-vendor.ts'
import { agents, ask } from './agents.ts'
import { memberPlaces } from './member-places.ts'
import { type Recorded, startRecorder } from './recorder.ts'

// The agents themselves, as `npm run test:clients` installs them: each runs a tool and follows its own conversation, at vendors of every protocol.

const programs = process.env['AGENTS_AT'] ?? ''

let app: TestApp
let recorder: ReturnType<typeof startRecorder>
beforeAll(async () => {
  app = await testApp()
  recorder = startRecorder(app.url)
})
afterAll(async () => {
  recorder.close()
  await app.close()
})
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

/** What the agent sends and the request that is written down for it does not have: the latter is then out of date. */
function newPlaces(name: string): readonly string[] {
  const written = clientRequests.filter(({ client }) => client === name)
  const models = ['gpt-4o-mini', 'claude-sonnet-4-5']
  const known = new Set(written.flatMap(({ body }) => models.flatMap((model) => [...memberPlaces(body(model))])))
  return [...memberPlaces(recorder.kept.map(({ body }) => body))]
    .map((place) => place.replace('[]', ''))
    .filter((place) => !known.has(place))
}

const refused = (): readonly Recorded[] => recorder.kept.filter(({ method, status }) => method === 'POST' && status >= 400)

describe.each(agents.map((agent) => [agent.name, agent] as const))('%s', (_, agent) => {
  test.each(agentDoubles.map((double) => [double.name, double] as const))('runs a tool and goes on, with %s', async (_name, double) => {
    const home = mkdtempSync(join(tmpdir(), 'sluice-agent-'))
    const place = { programs, home, url: recorder.url, token: await makeAgentToken(app, double), model: double.model }
    recorder.kept.length = 0
    app.upstream.fallback((request) => agentResponse(double, request))
    agent.configure?.(place)
    const first = await ask(agent, place, { question: 'Run the command that prints a word, and tell me the word.', isLater: false })
    const later = await ask(agent, place, { question: laterQuestion, isLater: true })
    rmSync(home, { recursive: true, force: true })
    expect([first.code, first.output, first.errors]).toEqual([0, expect.stringContaining(responseText), expect.any(String)])
    expect([later.code, later.output]).toEqual([0, expect.stringContaining(laterResponseText)])
    expect(refused()).toEqual([])
    expect(JSON.stringify(recorder.kept.at(-1)?.body)).toContain(printed)
    expect(newPlaces(agent.name)).toEqual([])
  })
})

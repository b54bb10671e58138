import { expect, test } from 'bun:test'
import type { SeenActivity } from '../lib/activity-board.ts'
import { describeBlocked } from './describe-blocked.ts'

const request: SeenActivity = {
  id: 'r1',
  method: 'POST',
  path: '/v1/chat/completions',
  kind: 'chat',
  model: 'm',
  channel: 3,
  bytes: 67,
  startedMs: 1_000,
}

const described = (activities: readonly SeenActivity[]) => JSON.parse(describeBlocked({ activities, blockedMs: 15_000, nowMs: 16_500 }))

test('the report is a line of the log with what was running', () => {
  const job = { id: '', method: 'job', path: 'reconcile', kind: '', model: '', channel: 0, bytes: 0, startedMs: 500 }
  expect(described([request, job])).toEqual({
    level: 'fatal',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    blockedMs: 15_000,
    mainThread: expect.any(String),
    running: 2,
    activities: [
      { requestId: 'r1', route: 'POST /v1/chat/completions', kind: 'chat', model: 'm', channel: 3, bytes: 67, ms: 15_500 },
      { route: 'job reconcile', bytes: 0, ms: 16_000 },
    ],
    msg: 'event loop blocked, ending the process',
  })
})

test('the report never says that an activity begins in the future', () => {
  const { activities } = described([{ ...request, startedMs: 57_000 }, request])
  expect(activities.map(({ ms }: { readonly ms: number }) => ms)).toEqual([0, 56_000])
})

test('the report shows no keys that are part of an address', () => {
  const paths = [
    '/v1/models/sk-abcdefghijklmnop',
    `/v1/oneapi/proxy/1/bot${'7'.repeat(40)}/send`,
    '/v1/tasks/0193c2f0-7c1e-7d3a-9b5e-1f2a3b4c5d6e',
  ]
  const { activities } = described(paths.map((path) => ({ ...request, path })))
  expect(activities.map(({ route }: { readonly route: string }) => route)).toEqual([
    'POST /v1/models/sk-***',
    'POST /v1/oneapi/proxy/1/***/send',
    'POST /v1/tasks/0193c2f0-7c1e-7d3a-9b5e-1f2a3b4c5d6e',
  ])
})

test('the report of thousands of requests fits into what a pipe takes at once', () => {
  const longest = {
    ...request,
    id: 'i'.repeat(36),
    method: 'M'.repeat(10),
    path: `/${'p/'.repeat(39)}`,
    kind: 'k'.repeat(20),
    model: 'm'.repeat(47),
    channel: 2 ** 40,
    bytes: 2 ** 40,
  }
  const line = describeBlocked({ activities: Array.from({ length: 4_000 }, () => longest), blockedMs: 600_000, nowMs: 1e9 })
  expect(line.length).toBeLessThanOrEqual(4_096)
  expect(JSON.parse(line)).toMatchObject({ running: 4_000, activities: expect.any(Array) })
})

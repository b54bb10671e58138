import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { callOf, limitOf } from '@sluice/contract'
import { endpoints } from '../apps/server/test/endpoints.ts'
import { ours } from '../apps/server/test/surface.ts'
import { readChecks } from './checks.ts'
import { readCalls } from './console-calls.ts'

const list = readFileSync(join(import.meta.dir, '../apps/console/CHECKS.md'), 'utf8')
const listed = readCalls(list)
const built = new Map(endpoints.map(([, endpoint]) => [callOf(endpoint), endpoint]))

test('the check list names every call that the specification does not have, once, with who may call it and its rate class', () => {
  expect(listed.map(({ call }) => call).sort()).toEqual(Object.keys(ours).sort())
  const facts = listed.map(({ call, access, limitClass }) => `${call}: ${access}, ${limitClass}`)
  const real = listed.map(({ call }) => {
    const endpoint = built.get(call)
    return endpoint === undefined ? `${call}: not built` : `${call}: ${endpoint.access}, ${limitOf(endpoint)}`
  })
  expect(facts).toEqual(real)
})

test('each of these calls belongs to lines of the check list', () => {
  const ids = readChecks(list).map(({ id }) => id)
  expect(listed.flatMap(({ lines }) => lines).filter((id) => !ids.includes(id))).toEqual([])
})

test('the table is read as it is written', () => {
  expect(
    readCalls('| Call | Who | Class | Lines |\n| --- | --- | --- | --- |\n| `GET /api/task/:id` | user | api | B48, B48a |\n'),
  ).toEqual([{ call: 'GET /api/task/:id', access: 'user', limitClass: 'api', lines: ['B48', 'B48a'] }])
})

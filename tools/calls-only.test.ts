import { expect, test } from 'bun:test'
import { withoutSchemas } from '../apps/console/build/calls-only.ts'

test('a call in the browser keeps its method, its path and what is in its query, and nothing else', () => {
  const code = `
export const token = {
  list: endpoint({ method: 'GET', path: '/api/token/', access: 'user', input: z.extend(page, { order }), data: z.array(row) }),
  /** Its comment. */
  save: endpoint({
    method: 'PUT',
    path: '/api/token/',
    access: 'user',
    input: z.object({ id }),
    data: row,
    inQuery: ['code'],
  }),
}
`
  const changed = withoutSchemas(code)
  expect(changed).toContain("list: endpoint({ method: 'GET', path: '/api/token/', })")
  for (const kept of ["method: 'PUT'", "inQuery: ['code']", '/** Its comment. */']) expect(changed).toContain(kept)
  for (const dropped of ['input', 'data', 'access', 'z.']) expect(changed).not.toContain(dropped)
  expect(changed.split('\n').length).toBeLessThanOrEqual(code.split('\n').length)
})

test('values that calls make are marked, so that unused ones are dropped; others and functions stay as they are', () => {
  const code = `const row = z.object({ id: z.int() })
export const names = ['a', 'b'] as const
export const read = (text: string) => JSON.parse(text)
`
  expect(withoutSchemas(code)).toBe(`const row = /* @__PURE__ */ (() => (z.object({ id: z.int() })))()
export const names = ['a', 'b'] as const
export const read = (text: string) => JSON.parse(text)
`)
})

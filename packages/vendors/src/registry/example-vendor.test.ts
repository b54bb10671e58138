import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addExampleVendor, exampleRecord } from '../../test/example-vendor.ts'
import type { readFailureOf } from '../core/failure-rules.ts'
import type { addressed } from './channel-facts.ts'
import type { dialectOf } from './dialect-of.ts'
import type { vendorByType } from './list.ts'
import type { buildRequest } from './request/build-request.ts'

const folder = mkdtempSync(join(tmpdir(), 'made-up-vendor-'))

beforeAll(() => {
  cpSync(join(import.meta.dir, '..'), folder, { recursive: true })
  addExampleVendor(folder)
})

afterAll(() => rmSync(folder, { recursive: true }))

interface Copy {
  readonly vendorByType: typeof vendorByType
  readonly addressed: typeof addressed
  readonly buildRequest: typeof buildRequest
  readonly dialectOf: typeof dialectOf
  readonly readFailureOf: typeof readFailureOf
}

/** The copy of the package that has the vendor. */
async function copy(): Promise<Copy> {
  const modules = await Promise.all(
    ['registry/list', 'registry/channel-facts', 'registry/request/build-request', 'registry/dialect-of', 'core/failure-rules'].map(
      (name) => import(join(folder, `${name}.ts`)) as Promise<object>,
    ),
  )
  // Holds: the copy has the same modules.
  return Object.assign({}, ...modules) as Copy
}

describe('a new vendor with OpenAI’s protocol', () => {
  test('takes one file and one line', async () => {
    expect(exampleRecord.split('\n').length).toBeLessThanOrEqual(60)
    const { vendorByType, addressed, buildRequest, dialectOf, readFailureOf } = await copy()
    const vendor = vendorByType(9_001)
    if (vendor === null) throw new Error('the list does not have the vendor')
    const channel = addressed(vendor, { baseUrl: '', key: 'mu-1', config: '{"region":"north"}', other: '' })
    expect(channel?.facts.baseUrl).toBe('https://north.made-up.example/api')
    if (channel === null) return
    const messages = [{ role: 'developer', content: 'Be brief.' }]
    const params = { kind: 'chat', model: 'm', stream: true, channel: channel.facts } as const
    expect(buildRequest(channel.vendor, { messages, seed: 7, max_completion_tokens: 9, stream: true }, params)).toEqual({
      path: '/v1/chat/completions',
      headers: {},
      body: {
        model: 'm',
        messages: [{ role: 'system', content: 'Be brief.' }],
        max_tokens: 9,
        stream: true,
        stream_options: { include_usage: true },
      },
    })
    const dialect = dialectOf(vendor, 'chat')
    if (dialect === null) throw new Error('the vendor has no chats')
    const failed = (status: number, error: object) => readFailureOf(dialect, vendor.failures, { status, body: JSON.stringify({ error }) })
    expect(failed(429, { code: 'purse_is_empty', message: 'no' }).kind).toBe('no_quota')
    expect(failed(400, { message: 'too many words' }).code).toBe('context_length_exceeded')
    expect(dialectOf(vendor, 'responses')?.fallbackKind).toBe('chat')
  })
})

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { exampleChannel } from '../../../test/channel.ts'
import { chats, nonsense } from '../../../test/chats.ts'
import { freeze, onTheWire } from '../../../test/files.ts'
import { vendorFiles } from '../../../test/vendor-files.ts'
import type { JsonObject } from '../../core/json.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { openaiVendor } from '../../vendors/openai/vendor.ts'
import { vendorByType, vendors } from '../list.ts'
import { buildRequest } from './build-request.ts'

interface Fixture {
  readonly why: string
  readonly model: string
  readonly chat: JsonObject
  readonly expected: JsonObject
}

/** The requests of each type. */
const requests = vendorFiles('requests')

for (const [type, file] of requests) {
  const vendor = vendorByType(type)
  if (vendor === null) throw new Error(`the fixtures of type ${type} have no record`)
  describe(vendor.name, () => {
    // Holds: the files are written as this interface says; a wrong row fails the comparison.
    for (const { why, model, chat, expected } of file as readonly Fixture[]) {
      test(why, () => {
        const { body } = buildRequest(vendor, chat, { kind: 'chat', model, stream: false, channel: exampleChannel(vendor).facts })
        expect(onTheWire(body)).toEqual(onTheWire({ ...expected, model }))
      })
    }
  })
}

describe('every record', () => {
  const chatting = vendors.filter(({ dialects }) => dialects.chat !== undefined)
  const models = chatting.flatMap((vendor) => vendor.models.names.map((model) => [vendor, model] as const))

  test('builds a request from every chat and does not change the chat', () => {
    fc.assert(
      fc.property(fc.oneof(chats, nonsense), fc.constantFrom(...models), fc.boolean(), (chat, [vendor, model], stream) => {
        const { vendor: used, facts } = exampleChannel(vendor)
        const { body } = buildRequest(used, freeze(chat), { kind: 'chat', model, stream, channel: facts })
        // Other vendors name the model in the path.
        if ('model' in body && used.dialects.chat === openai) expect(body['model']).toBe(model)
        for (const field of [...(vendor.chat?.drop ?? []), ...Object.keys(vendor.chat?.rename ?? {})])
          expect(body).not.toHaveProperty(field)
      }),
      { numRuns: 500 },
    )
  })

  /** Long enough that time in the square of it takes seconds. */
  const count = 40_000
  const call = (id: number) => ({ id: `c${id}`, type: 'function', function: { name: 'f', arguments: '{}' } })
  const long: ReadonlyArray<readonly [string, JsonObject]> = [
    ['instructions and turns', { messages: ['system', 'user'].flatMap((role) => Array(count).fill({ role, content: 'a' })) }],
    [
      'turns in alternation',
      { messages: Array.from({ length: count }, (_turn, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: 'a' })) },
    ],
    [
      'calls',
      {
        tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: null, tool_calls: Array.from({ length: count / 2 }, (_call, at) => call(at)) },
          ...Array.from({ length: count / 2 }, (_result, at) => ({ role: 'tool', tool_call_id: `c${at}`, content: 'b' })),
        ],
      },
    ],
  ]
  test('translates the calls of a response in time linear to their number', () => {
    const calls = Array.from({ length: count / 2 }, (_call, at) => ({
      type: 'function_call',
      call_id: `c${at}`,
      name: 'f',
      arguments: '{}',
    }))
    const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'b' }))
    const { vendor, facts } = exampleChannel(chatting.find(({ type }) => type === 36) ?? openaiVendor)
    const startedMs = usedMs()
    const { body } = buildRequest(
      vendor,
      { model: 'm', input: [{ role: 'user', content: 'a' }, ...calls, ...results] },
      { kind: 'responses', model: 'm', stream: false, channel: facts },
    )
    expect(usedMs() - startedMs).toBeLessThan(1_000)
    expect(body['messages']).toHaveLength(2 + count / 2)
  })

  const olderKeys: Readonly<Record<number, string>> = { 15: 'ak|sk', 18: 'a|b|c', 23: 'a|b|c' }
  test.each(long)('translates %s in time linear to their number, in older interfaces too', (_what, chat) => {
    for (const [vendor, key] of chatting.flatMap((one) => ['<key>', olderKeys[one.type] ?? []].flat().map((key) => [one, key] as const))) {
      const { vendor: used, facts } = exampleChannel(vendor, key)
      const [model = 'any'] = vendor.models.names
      const startedMs = usedMs()
      buildRequest(used, { model, ...chat }, { kind: 'chat', model, stream: false, channel: facts })
      expect([vendor.name, usedMs() - startedMs < 1_000]).toEqual([vendor.name, true])
    }
  })

  test('requests usage in a stream if the vendor reports it', () => {
    // Where the dialect depends on the model, so does the field.
    for (const vendor of vendors.filter(({ dialects: { chat } }) => typeof chat === 'object')) {
      const { vendor: used, facts } = exampleChannel(vendor)
      const { body } = buildRequest(used, { messages: [], stream: true }, { kind: 'chat', model: 'm', stream: true, channel: facts })
      // Other vendors say it in the path.
      if (used.dialects.chat === openai) expect(body['stream']).toBe(true)
      expect(onTheWire(body['stream_options'] ?? null)).toEqual(vendor.chat?.streamUsage === true ? { include_usage: true } : null)
    }
  })
})

test('a chat for a vendor without chats throws', () => {
  const [vendor] = vendors
  if (vendor === undefined) throw new Error('there are no vendors')
  const params = { kind: 'chat', model: 'm', stream: false, channel: exampleChannel(vendor).facts } as const
  expect(() => buildRequest({ ...vendor, dialects: {} }, { messages: [] }, params)).toThrow('does not have chat')
})

/** Time of the processor, which a busy machine does not lengthen. */
function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toolNames } from '../../../test/chats.ts'
import type { JsonObject } from '../../core/json.ts'
import { acceptedNames, withAcceptedNames, withClientNames } from './tool-names.ts'

const long = (end: string): string => `mcp__${'harbour'.repeat(12)}__${end}`
const tool = (name: string): JsonObject => ({ type: 'function', function: { name } })
const namesOf = (list: unknown): readonly string[] => [...JSON.stringify(list).matchAll(/"name":"([^"]*)"/g)].map(([, name = '']) => name)

describe('names that a vendor refuses', () => {
  test('are replaced in tools, choices and earlier calls, and are distinguished by their ends', () => {
    const [tides, berths] = [long('list_tides'), long('list_berths')]
    const chat = {
      tools: [tool(tides), tool(berths), tool('files.read:now'), tool('files_read_now'), { type: 'custom', custom: { name: 'a b' } }],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool(berths)] } },
      messages: [
        { role: 'assistant', tool_calls: [{ id: '1', ...tool(tides) }] },
        { role: 'tool', tool_call_id: '1', name: tides, content: 'High at noon' },
        { role: 'user', name: 'files.read:now', content: tides },
      ],
    }
    const result = withAcceptedNames(chat, acceptedNames)
    const [first, second, ...others] = namesOf(result?.chat['tools'])
    expect([first?.endsWith('__list_tides'), second?.endsWith('__list_berths'), others]).toEqual([
      true,
      true,
      ['files_read_now_2', 'files_read_now', 'a_b'],
    ])
    expect(namesOf(result?.chat['tool_choice'])).toEqual([String(second)])
    expect(result?.chat['messages']).toEqual([
      { role: 'assistant', tool_calls: [{ id: '1', type: 'function', function: { name: first } }] },
      { role: 'tool', tool_call_id: '1', name: first, content: 'High at noon' },
      { role: 'user', name: 'files.read:now', content: tides },
    ])
    expect(result?.changed).toEqual({
      [String(first)]: tides,
      [String(second)]: berths,
      files_read_now_2: 'files.read:now',
      a_b: 'a b',
    })
  })

  test('are replaced in functions of the form before tools', () => {
    const chat = {
      functions: [{ name: 'a.b' }],
      function_call: { name: 'a.b' },
      messages: [
        { role: 'assistant', function_call: { name: 'a.b', arguments: '{}' } },
        { role: 'function', name: 'a.b', content: '1' },
      ],
    }
    const result = withAcceptedNames(chat, acceptedNames)
    expect(namesOf(result?.chat)).toEqual(['a_b', 'a_b', 'a_b', 'a_b'])
    const response = { choices: [{ message: { function_call: { name: 'a_b', arguments: '{}' } } }] }
    expect(withClientNames(response, result?.changed ?? {})).toEqual({
      choices: [{ message: { function_call: { name: 'a.b', arguments: '{}' } } }],
    })
  })

  test('get a beginning that the vendor takes', () => {
    const beginsWithLetter = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/
    const result = withAcceptedNames({ tools: ['21st_builder', '天气', '潮汐', 'f_21st_builder'].map(tool) }, beginsWithLetter)
    expect(namesOf(result?.chat)).toEqual(['f_21st_builder_2', 'f___', 'f____2', 'f_21st_builder'])
  })

  test('of a vendor’s own tools are kept', () => {
    expect(withAcceptedNames({ tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] }, acceptedNames)).toBeNull()
    expect(withAcceptedNames({ tools: [tool('fine')], messages: [{ role: 'user', content: 'a.b' }] }, acceptedNames)).toBeNull()
  })

  test('become unique accepted ones, and come back, whatever they are', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom(...toolNames))), (names) => {
        const result = withAcceptedNames({ tools: names.map(tool) }, acceptedNames)
        const declaredTools = (result?.chat ?? { tools: names.map(tool) })['tools'] as ReadonlyArray<{
          readonly function: { readonly name: string }
        }>
        const list = declaredTools.map(({ function: declared }) => declared.name)
        expect(list.filter((name) => !acceptedNames.test(name))).toEqual([])
        expect(new Set(list).size).toBe(names.length)
        const calls = { choices: [{ index: 0, delta: { tool_calls: declaredTools } }] }
        expect(withClientNames(calls, result?.changed ?? {})).toEqual({ choices: [{ index: 0, delta: { tool_calls: names.map(tool) } }] })
      }),
    )
  })
})

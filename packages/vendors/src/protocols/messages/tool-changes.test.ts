import { expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { nativeOnlyIn } from './native-only.ts'
import { offeredTools, withoutToolChanges } from './tool-changes.ts'

const tool = (name: string, more: JsonObject = {}): JsonObject => ({ name, input_schema: { type: 'object' }, ...more })
const inSystem = (type: string, changed: JsonObject): JsonObject => ({ role: 'system', content: [{ type, tool: changed }] })
const toolResult = (part: JsonObject): JsonObject => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 't', content: [part] }],
})
const body = {
  tools: [tool('find'), tool('fetch', { defer_loading: true }), tool('draw', { defer_loading: true }), tool('read')],
  messages: [
    { role: 'user', content: 'Hi' },
    toolResult({ type: 'tool_reference', tool_name: 'fetch' }),
    inSystem('tool_removal', { type: 'tool_reference', name: 'read' }),
    inSystem('tool_addition', { type: 'tool_definition', definition: tool('write') }),
  ],
}

test('a model has the tools that were found or added, and none that was removed or not found', () => {
  expect(offeredTools(body)).toEqual([tool('find'), tool('fetch'), tool('write')])
  const again = [...body.messages, inSystem('tool_addition', { type: 'tool_reference', name: 'read' })]
  expect(offeredTools({ ...body, messages: again }).map(({ name }) => name)).toEqual(['find', 'fetch', 'read', 'write'])
  expect(offeredTools({ ...body, tool_choice: { type: 'tool', name: 'draw' } }).map(({ name }) => name)).toContain('draw')
})

test('a service that knows no such changes gets the list of tools, and words in place of references', () => {
  expect(withoutToolChanges(body)).toEqual({
    tools: [tool('find'), tool('fetch'), tool('write')],
    messages: [{ role: 'user', content: 'Hi' }, toolResult({ type: 'text', text: 'The tool fetch can be called now.' })],
  })
  const plain = { tools: [tool('find')], messages: body.messages.slice(0, 1) }
  expect(withoutToolChanges(plain)).toBe(plain)
})

test('a change that a list cannot say is named', () => {
  const server = { type: 'tool_definition', definition: { type: 'code_execution_20260521', name: 'code_execution' } }
  expect(nativeOnlyIn(body)).toBeNull()
  expect(nativeOnlyIn({ messages: [inSystem('tool_addition', server)] })).toEqual({ name: 'messages[0].content[0]' })
})

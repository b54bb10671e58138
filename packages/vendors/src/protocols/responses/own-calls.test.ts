import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { holdsAll } from '../shared/supports-extra.ts'
import { nativeOnly } from './native-only.ts'
import { toChat } from './to-chat.ts'

const userItem = { role: 'user', content: 'When is high tide?' }
const assistantItem = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'At noon.' }] }

function messagesOf(...items: readonly JsonObject[]): unknown {
  const body = { input: [userItem, ...items, assistantItem] }
  expect(nativeOnly(body)).toBeNull()
  return toChat(body, holdsAll)['messages']
}

const call = (id: string, name: string, args: object): JsonObject => ({
  ...{ role: 'assistant', content: null },
  tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
})
const result = (id: string, content: unknown) => ({ role: 'tool', tool_call_id: id, content })
const [first, last] = [userItem, { role: 'assistant', content: 'At noon.' }]

describe('what OpenAI’s own tools did is sent to other vendors', () => {
  test.each<readonly [what: string, items: readonly JsonObject[], expected: readonly unknown[]]>([
    [
      'a local shell',
      [
        { type: 'local_shell_call', id: 'ls_1', call_id: 'c1', action: { type: 'exec', command: ['date'] } },
        { type: 'local_shell_call_output', id: 'ls_1', output: 'Sat' },
      ],
      [call('c1', 'local_shell', { type: 'exec', command: ['date'] }), result('c1', 'Sat')],
    ],
    [
      'a shell',
      [
        { type: 'shell_call', call_id: 'c1', action: { commands: ['date'] } },
        { type: 'shell_call_output', call_id: 'c1', output: [{ stdout: 'Sat', stderr: 'late' }] },
      ],
      [call('c1', 'shell', { commands: ['date'] }), result('c1', 'Sat\nlate')],
    ],
    [
      'patches',
      [
        { type: 'apply_patch_call', call_id: 'c1', operation: { type: 'delete_file', path: 'a' } },
        { type: 'apply_patch_call_output', call_id: 'c1', status: 'completed', output: 'Deleted' },
      ],
      [call('c1', 'apply_patch', { type: 'delete_file', path: 'a' }), result('c1', 'Deleted')],
    ],
    [
      'a computer',
      [
        { type: 'computer_call', call_id: 'c1', action: { type: 'screenshot' } },
        { type: 'computer_call_output', call_id: 'c1', output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA' } },
      ],
      [
        call('c1', 'computer', { type: 'screenshot' }),
        result('c1', [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }]),
      ],
    ],
    [
      'code',
      [{ type: 'code_interpreter_call', id: 'ci_1', code: '1+1', outputs: [{ type: 'logs', logs: '2' }] }],
      [call('ci_1', 'code_interpreter', { code: '1+1' }), result('ci_1', '2')],
    ],
    [
      'a search in files',
      [{ type: 'file_search_call', id: 'fs_1', queries: ['tide'], results: [{ filename: 'a.txt', text: 'Noon' }] }],
      [call('fs_1', 'file_search', { queries: ['tide'] }), result('fs_1', 'a.txt\nNoon')],
    ],
    [
      'a picture',
      [{ type: 'image_generation_call', id: 'ig_1', revised_prompt: 'A ship', result: 'AAAA' }],
      [call('ig_1', 'image_generation', { prompt: 'A ship' }), result('ig_1', 'The image was generated.')],
    ],
    [
      'a tool of a server',
      [
        { type: 'mcp_list_tools', id: 'ml_1', server_label: 's', tools: [] },
        { type: 'mcp_call', id: 'mcp_1', server_label: 's', name: 'tides', arguments: '{"day":1}', output: 'Noon' },
      ],
      [call('mcp_1', 'tides', { day: 1 }), result('mcp_1', 'Noon')],
    ],
    ['a search of the web', [{ type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'tides' } }], []],
  ])('%s', (_what, items, expected) => {
    expect(messagesOf(...items)).toEqual([first, ...expected, last])
  })

  test('but not a screen that the vendor has stored', () => {
    const input = [{ type: 'computer_call_output', call_id: 'c1', output: { type: 'computer_screenshot', file_id: 'file_1' } }]
    expect(nativeOnly({ input })).toEqual({ name: 'input[0].type', item: 'computer_call_output' })
  })
})

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputText } from '../packages/vendors/src/protocols/shared/output-text.ts'
import { membersOf, readDeclarations } from './sdk-types.ts'

// Every member of a piece of a response counts as text that the model wrote, unless it is known not to be: the vendors' own clients say which there are.

const anthropic = '@anthropic-ai/sdk/resources/beta/messages/messages.d.ts'
const openai = 'openai/resources/chat/completions/completions.d.ts'

/** Members of these types in which no text counts. */
async function uncountedIn(path: string, types: readonly string[]): Promise<readonly string[]> {
  const source = await readDeclarations(path)
  const names = types.flatMap((type) => membersOf(source, type))
  expect(names.length).toBeGreaterThan(types.length)
  return [...new Set(names.filter((name) => outputText({ [name]: 'text' }) === ''))].sort()
}

/** The names of the types of a union. */
function unionOf(union: string): readonly string[] {
  const [, names = ''] =
    new RegExp(`export type ${union} = ([^;]+);`).exec(readFileSync(join(import.meta.dir, '../node_modules', anthropic), 'utf8')) ?? []
  return names.split(' | ')
}

test('of a chat: all but names, kinds and bytes', async () => {
  const types = ['Choice.Delta', 'Delta.Audio', 'Delta.FunctionCall', 'Delta.ToolCall', 'ToolCall.Custom', 'ToolCall.Function']
  // `format` is of a tool in a request, whose type has the same name.
  expect(await uncountedIn(openai, types)).toEqual(['data', 'format', 'id', 'index', 'name', 'role', 'type'])
})

test('of a delta of messages: all but what is cited and signed', async () => {
  const deltas = unionOf('BetaRawContentBlockDelta')
  expect(await uncountedIn(anthropic, deltas)).toEqual(['citation', 'encrypted_content', 'signature', 'type'])
})

test('of the blocks of a message that are no results of tools', async () => {
  const blocks = unionOf('BetaContentBlock')
  const written = blocks.filter((name) => !/ToolResultBlock$|ToolListingBlock$/.test(name))
  expect(await uncountedIn(anthropic, written)).toEqual([
    ...['caller', 'citations', 'data', 'encrypted_content', 'file_id', 'id', 'name', 'server_name', 'signature', 'tool_changes', 'type'],
  ])
})

test('of a part of Google’s responses: all but bytes, addresses and signatures', async () => {
  expect(await uncountedIn('@google/genai/dist/genai.d.ts', ['Part', 'FunctionCall', 'ExecutableCode', 'CodeExecutionResult'])).toEqual([
    ...['fileData', 'id', 'inlineData', 'language', 'name', 'outcome', 'thoughtSignature'],
  ])
})

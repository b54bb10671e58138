import { describe, expect, test } from 'bun:test'
import { bodyIndexes, rowOf } from '../packages/vendors/src/protocols/bodies/body-index.ts'
import { bodyTables } from '../packages/vendors/src/protocols/bodies/body-tables.ts'
import { vendors } from '../packages/vendors/src/registry/list.ts'
import { strictTypes } from '../packages/vendors/src/registry/strict-types.ts'
import { entriesOf, keysOfUnion, membersOf, readDeclarations, typesOfFile, typesOfUnion } from './sdk-types.ts'

// Every member and every tool that the vendors' own clients can send has a row, so that a new one is judged before it costs something.

const openai = 'openai/resources'
const anthropic = '@anthropic-ai/sdk/resources'
const mistral = '@mistralai/mistralai/esm/models/components'

/** Kind, declarations, type, and members that are no part of the body. */
const requests: ReadonlyArray<readonly [keyof typeof bodyTables, string, string, ReadonlyArray<string>?]> = [
  ['chat', `${openai}/chat/completions/completions.d.ts`, 'ChatCompletionCreateParamsBase'],
  ['responses', `${openai}/responses/responses.d.ts`, 'ResponseCreateParamsBase'],
  ['responses', `${openai}/beta/responses/responses.d.ts`, 'ResponseCreateParamsBase', ['betas']],
  ['completions', `${openai}/completions.d.ts`, 'CompletionCreateParamsBase'],
  ['embeddings', `${openai}/embeddings.d.ts`, 'EmbeddingCreateParams'],
  ['moderations', `${openai}/moderations.d.ts`, 'ModerationCreateParams'],
  ['images', `${openai}/images.d.ts`, 'ImageGenerateParamsBase'],
  ['image-edits', `${openai}/images.d.ts`, 'ImageEditParamsBase'],
  ['image-variations', `${openai}/images.d.ts`, 'ImageCreateVariationParams'],
  ['speech', `${openai}/audio/speech.d.ts`, 'SpeechCreateParams'],
  ['transcriptions', `${openai}/audio/transcriptions.d.ts`, 'TranscriptionCreateParamsBase'],
  ['translations', `${openai}/audio/translations.d.ts`, 'TranslationCreateParams'],
  ['messages', `${anthropic}/messages/messages.d.ts`, 'MessageCreateParamsBase'],
  ['messages', `${anthropic}/beta/messages/messages.d.ts`, 'MessageCreateParamsBase'],
  ['generate', '@google/genai/dist/genai.d.ts', 'GenerateContentParameters', ['config']],
  ['chat', `${mistral}/chatcompletionrequest.d.ts`, 'ChatCompletionRequest'],
  ['completions', `${mistral}/fimcompletionrequest.d.ts`, 'FIMCompletionRequest'],
  ['embeddings', `${mistral}/embeddingrequest.d.ts`, 'EmbeddingRequest'],
  ['chat', 'cohere-ai/api/resources/v2/client/requests/V2ChatRequest.d.ts', 'V2ChatRequest', ['rawPrompting']],
  ['rerank', 'cohere-ai/api/resources/v2/client/requests/V2RerankRequest.d.ts', 'V2RerankRequest'],
]

/** Clients for TypeScript write names in camel case that are in snake case on the wire. */
const snakeOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Settings of Google's client that are members of the body, and not of its configuration. */
const outsideOfConfig = [
  'httpOptions',
  'abortSignal',
  'systemInstruction',
  'safetySettings',
  'tools',
  'toolConfig',
  'labels',
  'cachedContent',
]

describe('every member of a request has a row', () => {
  test.each(requests)('%s of %s, %s', async (kind, path, type, others = []) => {
    const source = await readDeclarations(path)
    const members = membersOf(source, type).filter((name) => !others.includes(name))
    expect(members.length).toBeGreaterThan(1)
    const index = bodyIndexes[kind]
    const isCamel = bodyTables[kind].isCamel === true
    expect(members.filter((name) => index?.members.has(isCamel ? name : snakeOf(name)) !== true)).toEqual([])
  })

  test('generationConfig of Google’s client', async () => {
    const source = await readDeclarations('@google/genai/dist/genai.d.ts')
    const config = bodyIndexes['generate']?.inner.get('generationConfig')
    const members = [...membersOf(source, 'GenerationConfig'), ...membersOf(source, 'GenerateContentConfig')]
    const known = (name: string): boolean =>
      outsideOfConfig.includes(name) || config?.has(name) === true || bodyIndexes['generate']?.members.has(name) === true
    // The client's own work, and not sent.
    const own = ['automaticFunctionCalling', 'shouldReturnHttpResponse', 'automaticContinuation']
    expect(members.filter((name) => !known(name) && !own.includes(name))).toEqual([])
  })
})

test.each([
  ['session', 'RealtimeSessionCreateRequest'],
  ['session', 'RealtimeSession'],
  ['session.audio', 'RealtimeAudioConfig'],
  ['session.audio.input', 'RealtimeAudioConfigInput'],
  ['response', 'RealtimeResponseCreateParams'],
])('every member of %s in a realtime session has a row, %s', async (place, type) => {
  const members = membersOf(await readDeclarations(`${openai}/realtime/realtime.d.ts`), type)
  expect(members.length).toBeGreaterThan(1)
  const rows = bodyIndexes.realtime.inner.get(place)
  expect(members.filter((name) => rows?.has(name) !== true)).toEqual([])
})

describe('every tool has a row', () => {
  const unions: ReadonlyArray<readonly [keyof typeof bodyTables, string, string]> = [
    ['chat', `${openai}/chat/completions/completions.d.ts`, 'ChatCompletionTool'],
    ['responses', `${openai}/responses/responses.d.ts`, 'Tool'],
    ['responses', `${openai}/beta/responses/responses.d.ts`, 'BetaTool'],
    ['messages', `${anthropic}/messages/messages.d.ts`, 'ToolUnion'],
    ['messages', `${anthropic}/beta/messages/messages.d.ts`, 'BetaToolUnion'],
  ]
  test.each(unions)('%s of %s, %s', async (kind, path, union) => {
    const types = typesOfUnion(await readDeclarations(path), union)
    expect(types.length).toBeGreaterThan(1)
    const rows = bodyIndexes[kind]?.lists.get('tools')?.rows ?? new Map()
    expect([...new Set(types.filter((type) => rowOf(rows, type) === undefined))]).toEqual([])
  })

  test('of Google’s client', async () => {
    const members = membersOf(await readDeclarations('@google/genai/dist/genai.d.ts'), 'Tool')
    const rows = bodyIndexes['generate']?.lists.get('tools')?.rows
    expect(members.length).toBeGreaterThan(5)
    expect(members.filter((name) => rows?.has(name) !== true)).toEqual([])
  })

  const chatTools = bodyIndexes.chat.lists.get('tools')?.rows ?? new Map()

  test.each([
    [`${mistral}/chatcompletionrequest.d.ts`, 'ChatCompletionRequest', (name: string) => `${mistral}/${name.toLowerCase()}.d.ts`],
    [
      'cohere-ai/api/resources/v2/client/requests/V2ChatRequest.d.ts',
      'V2ChatRequest',
      (name: string) => `cohere-ai/api/types/${name}.d.ts`,
    ],
  ] as const)('chat of %s, %s', async (path, type, fileOf) => {
    const names = entriesOf(await readDeclarations(path), type, 'tools')
    const types = (await Promise.all(names.map((name) => typesOfFile(fileOf(name), name)))).flat()
    expect(types.length).toBeGreaterThan(0)
    expect([...new Set(types.filter((tool) => rowOf(chatTools, tool) === undefined))]).toEqual([])
  })

  test('of Bedrock’s client is written by the dialect for a function, or cannot be named by a chat', async () => {
    const path = '@aws-sdk/client-bedrock-runtime/dist-types/models/models_0.d.ts'
    const keys = keysOfUnion(await readDeclarations(path), 'Tool')
    const written = ['toolSpec', 'cachePoint']
    expect(keys).toEqual(expect.arrayContaining(written))
    expect(strictTypes.has(33)).toBe(true)
    // `systemTool`: tools that AWS runs and bills.
    expect(keys.filter((key) => !written.includes(key))).toEqual(['systemTool'])
    expect(keys.filter((key) => chatTools.has(key))).toEqual([])
  })
})

describe('a table', () => {
  test.each(Object.entries(bodyTables))(
    'of %s has each name once, with a page and the day on which it was read or named',
    (_kind, table) => {
      const lists = [table.members, ...Object.values(table.inner ?? {}), ...Object.values(table.lists ?? {}).map(({ rows }) => rows)]
      for (const rows of lists) {
        const names = rows.flatMap((row) => row.names)
        expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
        for (const { source } of rows) expect(source).toMatch(/(?:read|named) 20\d\d-\d\d-\d\d/)
      }
    },
  )

  test('of vendors that bill more than tokens names known types', () => {
    const known = new Set(vendors.map(({ type }) => type))
    for (const [type, page] of strictTypes)
      expect([type, known.has(type), page]).toEqual([type, true, expect.stringMatching(/(?:read|named) 20\d\d/)])
    // Servers that people run themselves forward everything.
    expect([8, 22, 30, 43].filter((type) => strictTypes.has(type))).toEqual([])
  })
})

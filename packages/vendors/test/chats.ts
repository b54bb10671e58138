import fc from 'fast-check'
import type { Json, JsonObject } from '../src/core/json.ts'

/** Text as people and programs write it, including none, white space only, and other scripts. */
const text = fc.constantFrom('Hello', 'Two\nlines', '', ' ', ' \n', '你好 🙂', 'ends in space ', '<b>&"quoted"</b>')

const image = fc.constantFrom(
  'data:image/png;base64,AAAA',
  'data:image/jpg;base64,AAAA',
  'https://host.example/a.png',
  'DATA:IMAGE/GIF;BASE64,AAAA',
)

const part: fc.Arbitrary<JsonObject> = fc.oneof(
  text.map((value) => ({ type: 'text', text: value })),
  text.map((value) => ({ type: 'text', text: value, cache_control: { type: 'ephemeral' } })),
  image.map((url) => ({ type: 'image_url', image_url: { url } })),
  fc.constant({ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } }),
)
const textPart = text.map((value): JsonObject => ({ type: 'text', text: value }))

const system: fc.Arbitrary<JsonObject> = fc.record({
  role: fc.constantFrom('system', 'developer'),
  content: fc.oneof(text, fc.array(textPart, { maxLength: 2 })),
})
const user: fc.Arbitrary<JsonObject> = fc.record({ role: fc.constant('user'), content: fc.oneof(text, fc.array(part, { maxLength: 3 })) })

const reasoning: fc.Arbitrary<readonly JsonObject[]> = fc.array(
  fc.constantFrom(
    { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
    { type: 'thinking', thinking: 'Nobody signed this.' },
    { type: 'redacted_thinking', data: 'opaque' },
  ),
  { maxLength: 2 },
)

const assistantMessage: fc.Arbitrary<JsonObject> = fc.record(
  {
    role: fc.constant('assistant'),
    content: fc.oneof(text, fc.constant(null), fc.array(textPart, { maxLength: 2 })),
    refusal: fc.constantFrom(null, 'No.'),
    thinking_blocks: reasoning,
  },
  { requiredKeys: ['role', 'content'] },
)

/** Names and ids in the forms of other vendors and gateways. */
export const toolNames = ['weather', 'files.read', 'a b', 'a_b', `${'long'.repeat(20)}`, 'größe']
const ids = ['call_1', 'functions.weather:0', 'a|b', '', 'toolu_01']
const inputs = ['{"city":"Porto"}', '{}', '', ' ', '{"city":', '[1]', 'null']

/** A turn that calls tools and all their results, in any order, possibly with messages in between. */
const calling: fc.Arbitrary<readonly JsonObject[]> = fc
  .record({
    before: assistantMessage,
    calls: fc.uniqueArray(
      fc.record({ id: fc.constantFrom(...ids), name: fc.constantFrom(...toolNames), input: fc.constantFrom(...inputs) }),
      {
        minLength: 1,
        maxLength: 3,
        selector: ({ id }) => id,
      },
    ),
    results: fc.oneof(text, fc.array(part, { maxLength: 2 })),
    isTurned: fc.boolean(),
    between: fc.option(fc.oneof(system, user)),
  })
  .map(({ before, calls, results, isTurned, between }) => {
    const responses = calls.map(({ id }): JsonObject => ({ role: 'tool', tool_call_id: id, content: results }))
    return [
      { ...before, tool_calls: calls.map(({ id, name, input }) => ({ id, type: 'function', function: { name, arguments: input } })) },
      ...(between === null ? [] : [between]),
      ...(isTurned ? responses.toReversed() : responses),
    ]
  })

const messages: fc.Arbitrary<readonly JsonObject[]> = fc
  .tuple(
    fc.array(system, { maxLength: 2 }),
    fc.array(fc.oneof(system.map(one), user.map(one), user.map(one), assistantMessage.map(one), calling), { maxLength: 8 }),
  )
  .map(([first, rest]) => [...first, ...rest.flat()])

function one(message: JsonObject): readonly JsonObject[] {
  return [message]
}

const schemas: readonly JsonObject[] = [
  {
    type: 'object',
    properties: { city: { type: 'string', maxLength: 9 }, days: { type: 'array', minItems: 1, items: { type: 'object' } } },
  },
  {},
  { properties: { n: { oneOf: [{ type: 'number', minimum: 0 }, { type: 'null' }] } } },
]

const tool: fc.Arbitrary<JsonObject> = fc.record({
  type: fc.constant('function'),
  function: fc.record(
    {
      name: fc.constantFrom(...toolNames),
      description: text,
      parameters: fc.constantFrom(...schemas),
      strict: fc.constantFrom(true, false, null),
    },
    { requiredKeys: ['name'] },
  ),
})

/** The declared tools, and the fields about their use. */
const tooling: fc.Arbitrary<JsonObject> = fc
  .uniqueArray(tool, { maxLength: 4, selector: (item) => JSON.stringify(item).match(/"name":"[^"]*"/)?.[0] })
  .chain((tools) =>
    fc.record({
      ...(tools.length === 0 ? {} : { tools: fc.constant(tools) }),
      tool_choice: fc.constantFrom<Json>(
        ...['auto', 'required', 'none', null],
        ...tools.map((item) => ({ type: 'function', function: { name: nameOf(item) } })),
      ),
      parallel_tool_calls: fc.constantFrom(true, false, null),
    }),
  )

function nameOf(item: JsonObject): Json {
  const declared = item['function']
  return typeof declared === 'object' && declared !== null && 'name' in declared ? (declared['name'] ?? '') : ''
}

const settings = fc.record(
  {
    max_tokens: fc.integer({ min: 1, max: 200_000 }),
    max_completion_tokens: fc.constantFrom(1, 1024, 5000, null),
    temperature: fc.constantFrom(0, 0.7, 1, 2, null),
    top_p: fc.constantFrom(0.1, 1, null),
    top_k: fc.constantFrom(1, 40, null),
    stop: fc.constantFrom<Json>('END', ' ', '', ['a', '\n'], [], null),
    user: fc.constantFrom('u-1', 'ann@mail.example', '+351 912 345 678', 'x'.repeat(300), '', null),
    metadata: fc.constantFrom<Json>({ order: '7' }, { user_id: 'u-2' }, { user_id: 'bob@mail.example' }, null),
    reasoning_effort: fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'constructor', null),
    thinking: fc.constantFrom<Json>({ type: 'disabled' }, null),
    response_format: fc.constantFrom<Json>(
      { type: 'text' },
      { type: 'json_object' },
      ...schemas.map((schema) => ({ type: 'json_schema', json_schema: { name: 'x', schema } })),
      null,
    ),
    service_tier: fc.constantFrom('auto', 'default', 'flex', null),
    n: fc.constant(1),
    seed: fc.integer(),
    logit_bias: fc.constant({ '1': 1 }),
    store: fc.boolean(),
  },
  { requiredKeys: [] },
)

/** Chats as an OpenAI client may send them: every call has its result, and every value its type. */
export const chats: fc.Arbitrary<JsonObject> = fc
  .tuple(messages, tooling, settings)
  .map(([list, tools, rest]) => ({ ...rest, ...tools, messages: list }))

/** Any JSON at all, and chats with any JSON somewhere in them. */
export const nonsense: fc.Arbitrary<JsonObject> = fc
  .tuple(
    chats,
    fc.array(
      fc.tuple(
        fc.constantFrom('messages', 'tools', 'tool_choice', 'stop', 'response_format', 'thinking', 'user', 'metadata', 'output_config'),
        anyJson(),
      ),
    ),
  )
  .map(([chat, changes]) => ({ ...chat, ...Object.fromEntries(changes) }))

/** Any JSON; some of it has members by which an object is otherwise written as a text or a number. */
export function anyJson(): fc.Arbitrary<Json> {
  const odd = fc.constantFrom<Json>({ toString: 1, valueOf: 1 }, [{ toString: 1 }], { toJSON: 1, length: 1 }, { constructor: 1, name: 1 })
  // Holds: the values of fast-check are JSON.
  return fc.oneof({ weight: 9, arbitrary: fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json> }, { weight: 1, arbitrary: odd })
}

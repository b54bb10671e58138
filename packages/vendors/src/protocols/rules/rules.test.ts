import { describe, expect, test } from 'bun:test'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'
import { Rewrites } from '../../core/rewrites.ts'
import { openai } from '../openai/dialect.ts'
import { withCloudMarks, withFewMarks, withoutMarks } from './cache-marks.ts'
import { withoutClientLines } from './client-lines.ts'
import { readerOf } from './cut-at-stops.ts'
import { withInstructionsAt, withUserInstructions } from './instructions.ts'
import { withJsonWord } from './json-word.ts'
import { withinOutputMax } from './output-max.ts'
import { withThinkingForm } from './thinking-form.ts'

const line = 'x-anthropic-billing-header: cc_version=2.1.207.1ab; cc_entrypoint=cli; cch=1f2e3;'
const block = (text: string, more: JsonObject = {}): JsonObject => ({ type: 'text', text, ...more })
const message = (role: string, content: Json): JsonObject => ({ role, content })

describe('a line that a client changes in each request', () => {
  const cases: ReadonlyArray<readonly [kind: Parameters<typeof withoutClientLines>[0], before: JsonObject, after: JsonObject]> = [
    ['messages', { system: [block(line), block(' Be careful.\n')] }, { system: [block(' Be careful.\n')] }],
    ['messages', { system: `${line}\n Be careful.\n` }, { system: ' Be careful.\n' }],
    [
      'messages',
      { system: [block(`${line}\nBe careful.`, { cache_control: {} })] },
      { system: [block('Be careful.', { cache_control: {} })] },
    ],
    ['messages', { system: line, model: 'm' }, { model: 'm' }],
    [
      'chat',
      { messages: [message('system', `${line}\nBe careful.`), message('user', line)] },
      { messages: [message('system', 'Be careful.'), message('user', line)] },
    ],
    ['chat', { messages: [message('system', line), message('user', 'Hi')] }, { messages: [message('user', 'Hi')] }],
    ['responses', { instructions: `${line}\nBe careful.` }, { instructions: 'Be careful.' }],
    [
      'generate',
      { systemInstruction: { parts: [{ text: line }, { text: 'Be careful.' }] } },
      { systemInstruction: { parts: [{ text: 'Be careful.' }] } },
    ],
  ]

  test.each(cases.map(([kind, before, after]) => [kind, before, after] as const))('is left out of %s', (kind, before, after) => {
    const rewrites = new Rewrites()
    expect(withoutClientLines(kind, before, rewrites)).toEqual(after)
    expect(rewrites.entries).toEqual([{ kind: 'client_lines', what: line }])
  })

  test('and nothing else is, also where a channel has that switched off', () => {
    const others = [{ system: `Say ${line}` }, { system: [block('Be careful.'), block(line)] }, { system: [] }, { system: null }, {}]
    for (const body of others) expect(withoutClientLines('messages', body, new Rewrites())).toBe(body)
    const body = { system: line }
    expect(withoutClientLines('messages', body, new Rewrites(new Set(['client_lines'])))).toBe(body)
  })
})

describe('instructions', () => {
  const call = { role: 'assistant', content: null, tool_calls: [{ id: 'a' }, { id: 'b' }] }
  const results = [
    { role: 'tool', tool_call_id: 'a', content: '1' },
    { role: 'tool', tool_call_id: 'b', content: '2' },
  ]

  test('stand first in one message, later ones in turns of the user, and never before the results of calls', () => {
    const messages = [
      message('system', 'A'),
      message('developer', [block('B')]),
      message('user', 'Hi'),
      message('system', 'C'),
      call,
      message('system', 'D'),
      ...results,
    ]
    expect(withInstructionsAt([...messages, message('system', 'E'), message('user', 'On')], 'first')).toEqual([
      ...[message('system', 'A\n\nB'), message('user', 'Hi\n\nC'), call, ...results],
      message('user', 'D\n\nE\n\nOn'),
    ])
  })

  test('of a server that has no place for them are what the user says first', () => {
    expect(withInstructionsAt([message('system', 'A'), message('user', 'Hi')], 'user')).toEqual([message('user', 'A\n\nHi')])
    const seen = { type: 'image_url', image_url: { url: 'data:,' } }
    expect(withInstructionsAt([message('system', 'A'), message('user', [seen])], 'user')).toEqual([message('user', [block('A'), seen])])
  })

  test('are sent alike however the conversation goes on', () => {
    const turns = [
      message('system', 'A'),
      message('user', 'Hi'),
      message('system', 'B'),
      message('assistant', 'Yes'),
      message('user', 'On'),
      message('system', 'C'),
    ]
    const whole = withInstructionsAt([...turns, message('assistant', 'Good')], 'first')
    expect(whole.slice(0, -1)).toEqual([...withInstructionsAt(turns, 'first')])
  })

  test('that stand right are left as they are', () => {
    const right = [message('system', 'A'), message('user', 'Hi'), call, ...results]
    expect(withInstructionsAt(right, 'first')).toBe(right)
    const turns = right.slice(1)
    expect(withUserInstructions(turns)).toBe(turns)
  })

  test('of Claude are turns of the user behind the results of calls', () => {
    const use = message('assistant', [{ type: 'tool_use', id: 'a' }])
    const result = message('user', [{ type: 'tool_result', tool_use_id: 'a' }])
    expect(
      withUserInstructions([message('user', 'Hi'), message('system', 'A'), use, message('system', 'B'), result, message('system', 'C')]),
    ).toEqual([...[message('user', 'Hi'), message('user', 'A'), use, result], ...[message('user', 'B'), message('user', 'C')]])
  })
})

describe('marks of the cache', () => {
  const mark = { type: 'ephemeral' }
  const marked = (text: string, more: JsonObject = {}): JsonObject => block(text, { cache_control: { ...mark, ...more } })
  const hasMark = (part: JsonObject): boolean => part['cache_control'] !== undefined

  test('are four at most: the last before the messages, and the last ones', () => {
    const content = ['1', '2', '3', '4', '5'].map((text) => marked(text))
    const body = { tools: [marked('t')], system: [marked('s')], messages: [message('user', content)] }
    const result = withFewMarks(body, new Rewrites())
    expect(result).toEqual({
      ...{ tools: [block('t')], system: [marked('s')] },
      messages: [message('user', [block('1'), block('2'), ...content.slice(2)])],
    })
    expect(withFewMarks({ ...body, cache_control: mark }, new Rewrites())).toMatchObject({ cache_control: mark, system: [marked('s')] })
    expect(JSON.stringify(withFewMarks({ ...body, cache_control: mark }, new Rewrites())).split('cache_control')).toHaveLength(5)
  })

  test('within results of tools count, too', () => {
    const result = { type: 'tool_result', content: [marked('a'), marked('b')] }
    const body = { messages: [message('user', [result, marked('c'), marked('d'), marked('e')])] }
    const [turn] = withFewMarks(body, new Rewrites())['messages'] as readonly JsonObject[]
    expect(JSON.stringify(turn).split('cache_control')).toHaveLength(5)
    expect(JSON.stringify(turn)).toContain('{"type":"text","text":"a"}')
  })

  test('of four or fewer stay as they are, and all where a channel has that switched off', () => {
    const few = { system: [marked('s')], messages: [message('user', [marked('1'), marked('2'), marked('3')])] }
    expect(withFewMarks(few, new Rewrites())).toBe(few)
    const many = {
      messages: [
        message(
          'user',
          ['1', '2', '3', '4', '5'].map((text) => marked(text)),
        ),
      ],
    }
    expect(withFewMarks(many, new Rewrites(new Set(['cache_marks'])))).toBe(many)
  })

  test('are sent to the clouds without their scope, and the one of the whole request on its last block', () => {
    const body = { cache_control: mark, system: [marked('s', { ttl: '1h', scope: 'global' })], messages: [message('user', 'Hi')] }
    expect(withCloudMarks(body, new Rewrites())).toEqual({
      system: [marked('s', { ttl: '1h' })],
      messages: [message('user', [marked('Hi')])],
    })
    const plain = { messages: [message('user', 'Hi')] }
    expect(withCloudMarks(plain, new Rewrites())).toBe(plain)
  })

  test('are left out for a model that has none', () => {
    const point = { cachePoint: { type: 'default' } }
    expect(withoutMarks({ cache_control: mark, messages: [message('user', [marked('a')])] })).toEqual({
      messages: [message('user', [block('a')])],
    })
    expect(withoutMarks({ system: [{ text: 's' }, point], messages: [message('user', [{ text: 'a' }, point])] })).toEqual({
      system: [{ text: 's' }],
      messages: [message('user', [{ text: 'a' }])],
    })
    expect([marked('a'), block('a')].map(hasMark)).toEqual([true, false])
  })
})

describe('the word JSON', () => {
  const response_format = { type: 'json_object' }

  test('is added where a chat asks for it and no message has it', () => {
    expect(withJsonWord({ response_format, messages: [message('user', 'Cats')] })).toMatchObject({
      messages: [message('system', 'Answer with JSON.'), message('user', 'Cats')],
    })
    expect(withJsonWord({ response_format, messages: [message('system', 'Be brief.'), message('user', 'Cats')] })).toMatchObject({
      messages: [message('system', 'Be brief.\n\nAnswer with JSON.'), message('user', 'Cats')],
    })
    expect(withJsonWord({ text: { format: response_format }, input: 'Cats', instructions: 'json' })).toMatchObject({
      input: [message('developer', 'Answer with JSON.'), message('user', 'Cats')],
    })
  })

  test('is not added where it is there, or no JSON is requested', () => {
    const bodies = [
      { response_format, messages: [message('user', [block('as Json')])] },
      { messages: [message('user', 'Cats')] },
      { response_format: { type: 'json_schema' }, messages: [message('user', 'Cats')] },
      { text: { format: response_format }, input: 'Some JSON' },
    ]
    for (const body of bodies) expect(withJsonWord(body)).toBe(body)
  })
})

test('a lower limit lowers the budget of reasoning, wherever both stand', () => {
  const thinking = { type: 'enabled', budget_tokens: 31_999 }
  expect(withinOutputMax({ max_tokens: 32_000, thinking }, 8_192)).toEqual({
    max_tokens: 8_192,
    thinking: { type: 'enabled', budget_tokens: 7_936 },
  })
  expect(withinOutputMax({ max_tokens: 32_000, thinking }, 1_000)).toEqual({ max_tokens: 1_000 })
  expect(withinOutputMax({ generationConfig: { maxOutputTokens: 9, topK: 1 } }, 8)).toEqual({
    generationConfig: { maxOutputTokens: 8, topK: 1 },
  })
  const within = { inferenceConfig: { maxTokens: 8 }, thinking }
  expect(withinOutputMax(within, 8)).toBe(within)
})

test('reasoning has the form of the model', () => {
  const budget = { max_tokens: 8_000, thinking: { type: 'enabled', budget_tokens: 4_000 } }
  expect(withThinkingForm(budget, 'adaptive')).toEqual({
    ...{ max_tokens: 8_000, thinking: { type: 'adaptive', display: 'summarized' } },
    output_config: { effort: 'low' },
  })
  const adaptive = { max_tokens: 8_000, thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }
  expect(withThinkingForm(adaptive, 'budget')).toEqual({ max_tokens: 8_000, thinking: { type: 'enabled', budget_tokens: 7_744 } })
  expect(withThinkingForm({ ...adaptive, max_tokens: 1_000 }, 'budget')).toEqual({ max_tokens: 1_000 })
  expect(withThinkingForm(adaptive, 'none')).toEqual({ max_tokens: 8_000 })
  expect(withThinkingForm(budget, 'budget')).toBe(budget)
})

describe('a response is ended at a stop sequence', () => {
  const context: ResponseContext = { id: 'c', created: 1, model: 'm', cutAt: ['END', 'STOP'], isDetailed: true }
  const reader = readerOf(openai, context)

  const streamed = (pieces: readonly string[]) => {
    const stream = openai.stream(context)
    const steps = pieces.map((content) =>
      stream.event(JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
    )
    const end = stream.event(JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] }))
    const choices = [...steps, end].flatMap(({ chunks }) => chunks.flatMap((chunk) => (chunk['choices'] as readonly JsonObject[]) ?? []))
    return {
      text: choices.map(({ delta }) => String((delta as JsonObject)['content'] ?? '')).join(''),
      reason: choices.at(-1)?.['finish_reason'],
      by: choices.at(-1)?.['stop_reason'],
      isOver: [...steps, end].some(({ isLast }) => isLast === true),
      isComplete: stream.end().complete,
    }
  }

  test('of a whole response', () => {
    const json = {
      choices: [{ index: 0, message: { role: 'assistant', content: 'One END two STOP', tool_calls: [] }, finish_reason: 'length' }],
    }
    const read = reader.response?.(json, context)
    expect(read).toMatchObject({ response: { choices: [{ message: { content: 'One ' }, finish_reason: 'stop', stop_reason: 'END' }] } })
    expect(reader.passthrough).toBeUndefined()
  })

  test.each([
    [['One END two'], 'One '],
    [['One E', 'N', 'D two'], 'One '],
    [['One S', 'T', 'E', 'ND'], 'One STE'.slice(0, -1)],
    [['EN', 'END'], 'EN'],
  ])('in a stream of %j', (pieces, text) => {
    expect(streamed(pieces)).toMatchObject({ text, reason: 'stop', isOver: true, isComplete: true })
  })

  test('and nothing is lost of one that has none', () => {
    expect(streamed(['One E', 'N', ' two S'])).toMatchObject({ text: 'One EN two S', reason: 'length', isOver: false })
  })
})

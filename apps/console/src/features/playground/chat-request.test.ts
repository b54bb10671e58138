import { expect, test } from 'bun:test'
import { bodyOf, countFaults, faultsOf } from './chat-request.ts'
import { codeOf } from './code-samples.ts'
import { type Conversation, defaultParameters, newCompletion } from './conversation.ts'

const turn = { id: 't', text: 'Hello', values: {}, attachments: [], answers: [[], []] }
const conversation: Conversation = {
  ...{ id: 'c', updatedMs: 0, tokenId: 1, models: ['gpt-4o', 'claude'] },
  ...{ parameters: defaultParameters, own: [], variables: {} },
  turns: [turn],
}
const withParameters = (parameters: Partial<typeof defaultParameters>): Conversation => ({
  ...conversation,
  parameters: { ...defaultParameters, ...parameters },
})

test('a plain request says no more than it must', () => {
  expect(bodyOf(conversation, 1)).toEqual({
    model: 'claude',
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
    stream_options: { include_usage: true },
  })
})

test('each parameter is sent by its name', () => {
  const set = withParameters({
    ...{ system: 'Be brief.', temperature: '0.5', topP: '.9', maxTokens: '100', effort: 'low', isStreamed: false },
    ...{ frequencyPenalty: '-0.5', presencePenalty: '1', seed: '0', stop: 'END\n\n###', toolChoice: 'required' },
    ...{ tools: '[{"name":"rain","parameters":{}},{"type":"function","function":{"name":"wind"}}]' },
    ...{ format: 'json_schema', schema: '{"type":"object"}' },
  })
  expect(bodyOf(set, 0)).toEqual({
    model: 'gpt-4o',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ],
    temperature: 0.5,
    top_p: 0.9,
    max_tokens: 100,
    reasoning_effort: 'low',
    frequency_penalty: -0.5,
    presence_penalty: 1,
    seed: 0,
    stop: ['END', '###'],
    tool_choice: 'required',
    tools: [
      { type: 'function', function: { name: 'rain', parameters: {} } },
      { type: 'function', function: { name: 'wind' } },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: { type: 'object' } } },
  })
})

test('what was attached comes before the words', () => {
  const attachments = [
    { kind: 'picture', name: 'a.png', data: 'data:image/png;base64,AA' },
    { kind: 'document', name: 'b.pdf', data: 'data:application/pdf;base64,BB' },
    { kind: 'text', name: 'c.txt', data: 'words' },
  ] as const
  expect(bodyOf({ ...conversation, turns: [{ ...turn, attachments }] }, 0)['messages']).toEqual([
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
        { type: 'file', file: { filename: 'b.pdf', file_data: 'data:application/pdf;base64,BB' } },
        { type: 'text', text: 'c.txt:\n\nwords' },
        { type: 'text', text: 'Hello' },
      ],
    },
  ])
})

test('a lane repeats its own responses, calls with their results, and nothing that is empty or still runs', () => {
  const done = { ...newCompletion('gpt-4o', 0), state: 'done' } as const
  const calling = { ...done, calls: [{ id: 'a', name: 'rain', arguments: '{}' }], results: { a: 'wet' } }
  const first = { ...turn, answers: [[calling, { ...done, text: 'It rains.' }], [{ ...done, text: 'Other' }]] }
  const failed = { ...turn, answers: [[{ ...done, state: 'failed', error: 'x' } as const], []] }
  const running = { ...turn, answers: [[newCompletion('gpt-4o', 0)], []] }
  expect(bodyOf({ ...conversation, turns: [first, failed, running] }, 0)['messages']).toEqual([
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'rain', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'a', content: 'wet' },
    { role: 'assistant', content: 'It rains.' },
    { role: 'user', content: 'Hello' },
    { role: 'user', content: 'Hello' },
  ])
})

test('parameters that cannot be sent are named', () => {
  const faulty = { temperature: 'hot', topP: '-1', maxTokens: '0', tools: '{}', format: 'json_schema', schema: '[1' } as const
  expect(faultsOf({ ...defaultParameters, ...faulty })).toEqual({
    ...{ temperature: 'number', topP: 'number', maxTokens: 'whole', tools: 'list', schema: 'json' },
  })
  expect(faultsOf({ ...defaultParameters, format: 'json_schema' })).toEqual({ schema: 'object' })
  expect(faultsOf({ ...defaultParameters, schema: '[1' })).toEqual({})
  expect(faultsOf(defaultParameters)).toEqual({})
})

test('the code of a request is what runs, without the key and with images cut short', () => {
  const body = { model: 'm', messages: [{ role: 'user', content: "It's 5 o'clock" }], stream: true, tools: [], flag: null }
  const curl = codeOf('curl', body, 'https://example.com')
  expect(curl).toContain('curl -N https://example.com/v1/chat/completions')
  expect(curl).toContain('Bearer $SLUICE_KEY')
  const shell = Bun.spawnSync(['bash', '-c', curl.replace(/^curl/, 'printf "%s\\n"')])
  expect(JSON.parse(shell.stdout.toString().split('\n-d\n')[1] ?? '')).toEqual(body)
  const python = codeOf('python', body, 'https://example.com')
  expect(python).toContain('base_url="https://example.com/v1"')
  expect(python).toContain('flag=None,')
  expect(python).toContain('tools=[],')
  expect(python).toContain('    stream=True,')
  const javascript = codeOf('javascript', body, 'https://example.com')
  expect(() => new Bun.Transpiler({ loader: 'js' }).scan(javascript)).not.toThrow()
  const image = { model: 'm', messages: [{ content: `data:image/png;base64,${'A'.repeat(500)}` }] }
  expect(codeOf('curl', image, '').length).toBeLessThan(400)
})

test('a lane with settings of its own sends these, and others send those of all', () => {
  const two: Conversation = {
    ...withParameters({ system: 'Be {{tone}}.', temperature: '1' }),
    own: [null, { ...defaultParameters, system: 'Be long.', topP: '0.1' }],
    variables: { tone: 'kind' },
  }
  expect(bodyOf(two, 0)).toMatchObject({ temperature: 1, messages: [{ role: 'system', content: 'Be kind.' }, { role: 'user' }] })
  expect(bodyOf(two, 1)).toMatchObject({ top_p: 0.1, messages: [{ role: 'system', content: 'Be long.' }, { role: 'user' }] })
  expect(bodyOf(two, 1)['temperature']).toBeUndefined()
})

test('faults are counted for the settings that are used, once for all lanes that share them', () => {
  const bad = { ...defaultParameters, temperature: 'hot', topP: 'x' }
  expect(countFaults({ ...conversation, parameters: bad })).toBe(2)
  expect(countFaults({ ...conversation, parameters: bad, own: [defaultParameters, { ...defaultParameters, seed: '-1' }] })).toBe(1)
})

test('prompts keep the values that they were sent with', () => {
  const withPrompt: Conversation = {
    ...conversation,
    variables: { city: 'Rome' },
    turns: [
      { ...turn, text: 'Where is {{city}}?', values: { city: 'Oslo' } },
      { ...turn, text: 'And {{ river }}?' },
    ],
  }
  expect(bodyOf(withPrompt, 0)['messages']).toEqual([
    { role: 'user', content: 'Where is Oslo?' },
    { role: 'user', content: 'And {{ river }}?' },
  ])
})

import { expect, test } from 'bun:test'
import {
  asMarkdown,
  before,
  type Conversation,
  defaultParameters,
  isRunning,
  isWaitingForResults,
  newCompletion,
  titleOf,
  upgraded,
  withCompletions,
  withNewest,
  withoutLane,
  withTurn,
} from './conversation.ts'

const empty: Conversation = {
  id: 'c',
  updatedMs: 0,
  tokenId: 1,
  models: ['a', 'b'],
  parameters: defaultParameters,
  own: [],
  variables: {},
  turns: [],
}
const withPrompt = (text: string, to: Conversation = empty): Conversation => withTurn(to, { id: text, text, values: {}, attachments: [] })
const inFlight = (conversation: Conversation, lane: number, text: string): Conversation =>
  withCompletions(conversation, lane, (completions) => [...completions, { ...newCompletion('a', 0), state: 'done', text }])

test('completions belong to their lane, and the newest of it changes', () => {
  const one = inFlight(inFlight(withPrompt('Hi'), 0, 'first'), 1, 'second')
  const changed = withNewest(one, 1, (completion) => ({ ...completion, text: 'third' }))
  expect(changed.turns[0]?.answers.map((completions) => completions.map(({ text }) => text))).toEqual([['first'], ['third']])
})

test('a model that is taken out takes its responses with it', () => {
  const one = withoutLane(inFlight(inFlight(withPrompt('Hi'), 0, 'first'), 1, 'second'), 0)
  expect(one.models).toEqual(['b'])
  expect(one.turns[0]?.answers.map((completions) => completions[0]?.text)).toEqual(['second'])
})

test('editing a prompt drops it and what came after', () => {
  const both = withPrompt('two', inFlight(withPrompt('one'), 0, 'first'))
  expect(before(both, 'two').turns.map(({ id }) => id)).toEqual(['one'])
  expect(before(both, 'one').turns).toEqual([])
  expect(before(both, 'unknown')).toBe(both)
})

test('a running completion and a call without a result are recognized', () => {
  const running = withCompletions(withPrompt('Hi'), 1, () => [newCompletion('b', 0)])
  expect([isRunning(running), isWaitingForResults(running)]).toEqual([true, false])
  const calling = withNewest(running, 1, (completion) => ({ ...completion, state: 'done', calls: [{ id: 'x', name: 'f', arguments: '' }] }))
  expect([isRunning(calling), isWaitingForResults(calling)]).toEqual([false, true])
  expect(isWaitingForResults(withNewest(calling, 1, (completion) => ({ ...completion, results: { x: '' } })))).toBe(false)
})

test('the title is the first line of the first prompt with words, or the name of a file', () => {
  expect(titleOf(empty)).toBe('')
  expect(titleOf(withPrompt('  Hello\nthere'))).toBe('Hello')
  expect(titleOf(withPrompt('x'.repeat(200))).length).toBe(81)
  const file = withTurn(empty, { id: 'f', text: '', values: {}, attachments: [{ kind: 'picture', name: 'boat.png', data: '' }] })
  expect(titleOf(file)).toBe('boat.png')
})

test('the export has prompts, completions and calls', () => {
  const one = withNewest(inFlight(withPrompt('Hi'), 0, 'Hello!'), 0, (completion) => ({
    ...completion,
    calls: [{ id: 'x', name: 'f', arguments: '{}' }],
  }))
  const text = asMarkdown({ ...one, parameters: { ...defaultParameters, system: 'Be brief.' } }, { user: 'You', system: 'System' })
  expect(text).toBe('# Hi\n\n## System\n\nBe brief.\n\n## You\n\nHi\n\n## a\n\nHello!\n\n```json\n{"name":"f","arguments":"{}"}\n```\n')
})

test('a conversation of an earlier version has no settings of its own and no variables', () => {
  const { own: _own, variables: _variables, ...rest } = withPrompt('Hi')
  const old = { ...rest, turns: rest.turns.map(({ values: _values, ...turn }) => turn), parameters: { system: 'Be brief.' } }
  // Holds: it is what the earlier version stored.
  const whole = upgraded(JSON.parse(JSON.stringify(old)) as Conversation)
  expect(whole).toMatchObject({ own: [], variables: {}, parameters: { ...defaultParameters, system: 'Be brief.' } })
  expect(whole.turns[0]?.values).toEqual({})
})

test('a lane that is taken out takes its settings with it', () => {
  const own = { ...defaultParameters, system: 'Own' }
  expect(withoutLane({ ...empty, own: [null, own] }, 0).own).toEqual([own])
})

import { expect, test } from 'bun:test'
import { type StatusLooks, statusText } from './status-badge.tsx'

const t = (key: string) => `text of ${key}`

const looks: StatusLooks<string> = { byStatus: { up: { tone: 'green', text: 'model.state.up' } } }

test('a status has the text of its table; one that the table does not have is shown as it is', () => {
  expect(statusText(looks, 'up', t)).toBe('text of model.state.up')
  expect(statusText(looks, 'paused', t)).toBe('paused')
  expect(statusText(looks, 'constructor', t)).toBe('constructor')
})

test('a noun whose statuses are numbers has a text for one that is not known', () => {
  const numbers: StatusLooks = { byStatus: { 1: { tone: 'green', text: 'token.status.1' } }, unknown: 'token.status.other' }
  expect([1, 9].map((status) => statusText(numbers, status, t))).toEqual(['text of token.status.1', 'text of token.status.other'])
})

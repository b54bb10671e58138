import { expect, test } from 'bun:test'
import { matchOptions } from './match-options.ts'

const zones = ['Africa/Casablanca', 'America/Nassau', 'Asia/Shanghai', 'Asia/Tokyo', 'Europe/Berlin'].map((label) => ({ label }))
const labels = (query: string) => matchOptions(zones, query).map(({ label }) => label)

test('options that begin with what was typed come before those that only contain it, each in their order', () => {
  expect(labels(' as')).toEqual(['Asia/Shanghai', 'Asia/Tokyo', 'Africa/Casablanca', 'America/Nassau'])
  expect(labels('BERLIN')).toEqual(['Europe/Berlin'])
  expect(labels('')).toEqual(zones.map(({ label }) => label))
  expect(labels('mars')).toEqual([])
})

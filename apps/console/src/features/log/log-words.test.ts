import { expect, test } from 'bun:test'
import { logColumns, logWords } from '@sluice/contract'
import { log as en } from '../../lib/messages/en/log.ts'
import { log as zh } from '../../lib/messages/zh/log.ts'

const camel = (id: string): string => id.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

test('an exported log has the names of the columns and values that the console shows', () => {
  const columns = Object.entries(logColumns).map(([id, names]) => [`log.column.${camel(id)}`, names.en, names.zh])
  const words = Object.entries(logWords).map(([id, names]) => [`log.${id}`, names.en, names.zh])
  const catalogues = [new Map<string, unknown>(Object.entries(en)), new Map<string, unknown>(Object.entries(zh))]
  const expected = [...columns, ...words].map(([key = '']) => [key, ...catalogues.map((texts) => texts.get(key))])
  expect<unknown>([...columns, ...words]).toEqual(expected)
})

import { expect, test } from 'bun:test'
import { Marked } from 'marked'
import { createBlockReader } from './markdown-blocks.ts'

const lexer = new Marked({ gfm: true })
const read = () => createBlockReader((text) => lexer.lexer(text))

test('a text is read as blocks', () => {
  expect(
    read()('# a\n\nb')
      ?.map(({ raw }) => raw.trim())
      .filter(Boolean),
  ).toEqual(['# a', 'b'])
})

test('a text that cannot be read as Markdown is shown as it is', () => {
  const stars = `${'*'.repeat(16_000)}a${'*'.repeat(16_000)}`
  expect(read()(stars)).toBeNull()
  expect(read()('a'.repeat(100_001))).toBeNull()
  const failing = createBlockReader(() => {
    throw new Error('no')
  })
  expect(failing('a')).toBeNull()
})

test('a text that took too long is not read again while it grows', () => {
  let reads = 0
  const readSlowly = createBlockReader(() => {
    reads += 1
    const startMs = performance.now()
    while (performance.now() - startMs < 1_050);
    return []
  })
  readSlowly('a')
  expect(readSlowly('ab')).toBeNull()
  expect(reads).toBe(1)
})

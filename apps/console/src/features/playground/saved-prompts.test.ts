import { expect, test } from 'bun:test'
import { defaultParameters } from './conversation.ts'
import { promptsFile, readPromptsFile, type SavedPrompt } from './saved-prompts.ts'

const prompt: SavedPrompt = {
  ...{ id: 'a', name: 'Letter', updatedMs: 5, text: 'Dear {{name}}', models: ['gpt-4o', 'o1'], variables: { name: 'Ann' } },
  parameters: { ...defaultParameters, temperature: '0.2' },
  own: [null, { ...defaultParameters, system: 'Be brief.' }],
}

test('prompts come back from their file as they were, without the ids of the browser', () => {
  const text = promptsFile([prompt])
  expect(text).not.toContain('"id"')
  expect(readPromptsFile(text)).toEqual([{ ...prompt, id: '' }])
})

test('a file that is none is refused, and what is wrong in one is as it is at first', () => {
  for (const text of ['', '[]', '{"prompts":[]}', '{"kind":"playground-prompts"}', '{']) expect(readPromptsFile(text)).toBeNull()
  const odd = {
    name: ` ${'x'.repeat(200)} `,
    text: 7,
    models: [1],
    parameters: { temperature: 3, system: 'Kept' },
    own: ['x'],
    variables: { a: 1, b: 'c' },
  }
  const read = readPromptsFile(JSON.stringify({ kind: 'playground-prompts', prompts: [odd, { text: 'without a name' }, null] }))
  expect(read).toEqual([
    {
      ...{ id: '', name: 'x'.repeat(80), updatedMs: 0, text: '', models: [''], own: [null], variables: { b: 'c' } },
      parameters: { ...defaultParameters, system: 'Kept' },
    },
  ])
})

import { expect, test } from 'bun:test'
import { deniedCommentsIn, deniedTextsIn, referringCommentsIn } from './denied-texts.ts'
import { isTest, parseSources, readSources } from './sources.ts'

test('texts have the terms of the field', async () => {
  expect((await readSources()).filter((source) => !isTest(source.path)).flatMap(deniedTextsIn)).toEqual([])
})

test('comments and titles of tests have the terms of the field', async () => {
  expect((await readSources()).filter(({ path }) => !/^tools\/(?:denied-|texts\.test)/.test(path)).flatMap(deniedCommentsIn)).toEqual([])
})

test('no comment begins by referring to another one', async () => {
  expect((await readSources()).flatMap(referringCommentsIn)).toEqual([])
})

test('such texts and comments are seen', async () => {
  const [catalogue, query, comments] = await parseSources({
    'apps/console/src/lib/messages/en/a.ts': "export const a = { told: 'Two pictures', b: `Nobody answered ${c} today`, d: 'image' }",
    'apps/server/src/db/a.ts': 'const a = `SELECT a, ${b} FROM asked`',
    'apps/server/src/a.ts': ['/** The', ' same as b. */\n// The', ' same as c\n/** Not the same. */'].join(''),
  })
  expect(
    [catalogue, query, comments].flatMap((source) =>
      source === undefined ? [] : [...deniedTextsIn(source), ...referringCommentsIn(source)],
    ),
  ).toEqual([
    'apps/console/src/lib/messages/en/a.ts:1: Two pictures',
    'apps/console/src/lib/messages/en/a.ts:1: Nobody answered ',
    'apps/server/src/a.ts:1',
    'apps/server/src/a.ts:2',
  ])
})

test('such comments and titles of tests are seen, and quotes and code are left out', async () => {
  const [source] = await parseSources({
    'apps/server/src/a.test.ts': [
      '/** What a `reply` is in "Pictures and films". */',
      "const a = 'https://told.example' // ordered",
      '/**',
      ' * The silence.',
      ' */',
      "test.each([1])('an answer', () => {})",
      'describe(`told ${a}`, () => {})',
      "other('a film')",
    ].join('\n'),
  })
  expect(source === undefined ? [] : deniedCommentsIn(source)).toEqual([
    'apps/server/src/a.test.ts:2: // ordered',
    'apps/server/src/a.test.ts:4: * The silence.',
    "apps/server/src/a.test.ts:6: 'an answer'",
    'apps/server/src/a.test.ts:7: `told ${a}`',
  ])
})

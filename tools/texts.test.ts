import { expect, test } from 'bun:test'
import { deniedTextsIn, referringCommentsIn } from './denied-texts.ts'
import { isTest, parseSources, readSources } from './sources.ts'

test('texts have the terms of the field', async () => {
  expect((await readSources()).filter((source) => !isTest(source.path)).flatMap(deniedTextsIn)).toEqual([])
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

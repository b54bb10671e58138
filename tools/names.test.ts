import { expect, test } from 'bun:test'
import { deniedNamesIn } from './denied-names.ts'
import { parseSources, readSources } from './sources.ts'

test('every name says what a thing is', async () => {
  expect((await readSources()).flatMap(deniedNamesIn)).toEqual([])
})

test('names are seen wherever they are declared, alone or as a part', async () => {
  const [source] = await parseSources({
    'apps/server/src/told.ts':
      'export interface Told { asked: 1; made_by: 2; isFound: true }\ntype AskedModel = 1\nconst [wanted, { x: heldInVain }] = f()\nfunction sentBy(given: string, { a, shown }: T) { return { asked } }\ntype Where = 1\nconst absentee = 1',
  })
  expect(source === undefined ? [] : deniedNamesIn(source)).toEqual([
    'apps/server/src/told.ts',
    'apps/server/src/told.ts:1: Told',
    'apps/server/src/told.ts:1: asked',
    'apps/server/src/told.ts:2: AskedModel',
    'apps/server/src/told.ts:3: wanted',
    'apps/server/src/told.ts:4: sentBy',
    'apps/server/src/told.ts:4: given',
    'apps/server/src/told.ts:4: shown',
    'apps/server/src/told.ts:5: Where',
  ])
})

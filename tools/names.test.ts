import { expect, test } from 'bun:test'
import { parseSources, readSources, type Source } from './sources.ts'

/** Words for a type that say neither what it is nor what it is for; many of them once stood for several things. */
const emptyNames =
  /^(?:Asked|Behind|Beside|Brought|Came|Claimed|Coming|Deed|Hindrance|How|InForm|InTurn|LookUp|MoneyLine|Named|Of|Pace|Resters|Resting|Said|Sight|Sold|Sought|Speaking|Told|Wanted|Where)$/

function emptyNamesIn({ path, text }: Source): readonly string[] {
  const declared = text.matchAll(/^\s*(?:export )?(?:type|interface|class) (\w+)/gm)
  return [...declared].flatMap(([, name = '']) => (emptyNames.test(name) ? [`${path}: ${name}`] : []))
}

test('every type is named after what it is', async () => {
  expect((await readSources()).flatMap(emptyNamesIn)).toEqual([])
})

test('types whose names say nothing are found, and names that contain such a word are allowed', async () => {
  const [source] = await parseSources({
    'apps/server/src/a.ts': 'export interface Told {}\ntype Asked = 1\ntype AskedModel = 2\nconst Wanted = 3',
  })
  expect(source === undefined ? [] : emptyNamesIn(source)).toEqual(['apps/server/src/a.ts: Told', 'apps/server/src/a.ts: Asked'])
})

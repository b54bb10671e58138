import { describe, expect, test } from 'bun:test'
import { dirname } from 'node:path'
import { silentAssertions } from './assertions.ts'
import { budgets, fileLimits, vendorParts } from './budgets.ts'
import { codeLinesOf } from './code.ts'
import { functionsOf } from './functions.ts'
import { findRepetition } from './repeated-lines.ts'
import { isTest, parseSources, readSources, type Source } from './sources.ts'

const sources = (await readSources()).filter(({ path }) => !isTest(path))
const product = sources.filter(({ path }) => /^(?:packages|apps)\//.test(path))

const fileName = (path: string): string => path.replace(/^.*\/(.*)\.ts$/, '$1')

const parseOne = async (path: string, text: string): Promise<Source> => {
  const [source] = await parseSources({ [path]: text })
  if (source === undefined) throw new Error('nothing was parsed')
  return source
}

describe('budgets', () => {
  test(`a file has at most ${budgets.fileLines} lines of code, or its own limit`, () => {
    const long = sources.flatMap((source) => {
      const count = codeLinesOf(source).filter(Boolean).length
      const max = fileLimits[source.path]?.lines ?? budgets.fileLines
      return count > max ? [`${source.path}: ${count} lines of code, at most ${max}`] : []
    })
    expect(long).toEqual([])
  })

  test('each file with a limit of its own exists', () => {
    const paths = new Set(sources.map(({ path }) => path))
    expect(Object.keys(fileLimits).filter((path) => !paths.has(path))).toEqual([])
  })

  test(`a vendor without a dialect of its own is one file of at most ${budgets.vendorLines} lines of code, or has its reason`, () => {
    const hasDialect = ({ text }: Source): boolean => /\b(?:\w*Dialect|BatchForm)\b|protocols\/(?:anthropic|gemini)\//.test(text)
    const isRecord = ({ path, text }: Source): boolean => path.endsWith('/vendor.ts') && /: Vendor = \{/.test(text)
    const ofVendors = sources.filter(({ path }) => /^packages\/vendors\/src\/vendors\/(?!openai\/)/.test(path) && !isTest(path))
    const inFolder = ({ path }: Source): readonly Source[] => ofVendors.filter((source) => dirname(source.path) === dirname(path))
    const plain = ofVendors.filter((source) => isRecord(source) && !inFolder(source).some(hasDialect))
    expect(plain.length).toBeGreaterThan(8)
    const long = plain.map((source) => [source.path, codeLinesOf(source).filter(Boolean).length] as const)
    expect(long.filter(([, count]) => count > budgets.vendorLines)).toEqual([])
    const parts = plain.flatMap((source) => {
      const files = inFolder(source)
        .filter(({ path }) => path !== source.path)
        .map(({ path }) => fileName(path))
      return files.length === 0 ? [] : [[dirname(source.path), files.toSorted()] as const]
    })
    expect(Object.fromEntries(parts)).toEqual(
      Object.fromEntries(Object.entries(vendorParts).map(([name, { files }]) => [name, [...files]])),
    )
  })

  test(`a plain noun of the console is at most ${budgets.plainNoun.files} files and ${budgets.plainNoun.lines} lines`, () => {
    const files = product.filter(({ path }) => path.startsWith('apps/console/src/features/redemption/'))
    const lines = files.reduce((sum, { text }) => sum + text.trimEnd().split('\n').length, 0)
    expect(files.length).toBeGreaterThan(2)
    expect(files.length).toBeLessThanOrEqual(budgets.plainNoun.files)
    expect(lines).toBeLessThanOrEqual(budgets.plainNoun.lines)
  })

  test(`a function has at most ${budgets.functionLines} lines of code, a component ${budgets.componentLines}`, () => {
    const long = sources.flatMap(functionsOf).flatMap(({ place, name, isComponent, codeLines }) => {
      const max = isComponent ? budgets.componentLines : budgets.functionLines
      return codeLines > max ? [`${place}: ${name} has ${codeLines} lines of code, at most ${max}`] : []
    })
    expect(long).toEqual([])
  })

  test(`at most ${budgets.repeatedShare * 100} % of the product's lines are duplicates`, () => {
    const { share, places } = findRepetition(product)
    expect({ share, places: share > budgets.repeatedShare ? places : [] }).toEqual({ share: expect.any(Number), places: [] })
  })

  test('each type assertion has a comment with its reason', () => {
    expect(product.flatMap(silentAssertions)).toEqual([])
  })
})

describe('measuring', () => {
  test('counts neither comments nor blank lines, but counts strings that look like comments', async () => {
    const source = await parseOne(
      'apps/x/src/a.ts',
      "// one\n\n/* two\n three */ const a = 'http://x' // four\nconst b = /\\/*/\nconst c = `\n// text\n`\n",
    )
    expect(codeLinesOf(source).filter(Boolean)).toHaveLength(5)
  })

  test('measures a nested named function separately, and a callback as part of its function', async () => {
    const source = await parseOne(
      'apps/x/src/a.ts',
      'export function make() {\n  const inner = () => {\n    return 1\n  }\n  return list.map((x) => {\n    return x\n  })\n}\n',
    )
    const lengths = functionsOf(source).map(({ name, codeLines }) => [name, codeLines])
    expect(lengths).toEqual([
      ['make', 5],
      ['inner', 3],
      ['a function without a name', 3],
    ])
  })

  test('recognizes a component by its capital letter', async () => {
    const source = await parseOne(
      'apps/console/src/ui/a.tsx',
      'export function Page() { return <p>// no comment</p> }\nfunction useIt() {}\n',
    )
    expect(functionsOf(source).map(({ isComponent }) => isComponent)).toEqual([true, false])
  })

  test('finds only assertions without a reason', async () => {
    const source = await parseOne(
      'apps/x/src/a.ts',
      "const a = b as C\n\n// Holds: parsed above.\nconst d = e as F\nconst g = ['h'] as const\n\nconst i = j as K // the list is not empty\n\nconst l = m satisfies N\n",
    )
    expect(silentAssertions(source)).toEqual(['apps/x/src/a.ts:1: const a = b as C'])
  })

  test('finds six equal lines in a row, whatever their indentation', async () => {
    const lines = Array.from({ length: 6 }, (_, index) => `call${index}(value)`)
    const twice = await parseSources({ 'apps/x/src/a.ts': lines.join('\n'), 'apps/x/src/b.ts': `if (x) {\n  ${lines.join('\n  ')}\n}\n` })
    expect(findRepetition(twice)).toEqual({ share: 6 / 13, places: ['apps/x/src/b.ts:2 repeats apps/x/src/a.ts:1'] })
  })
})

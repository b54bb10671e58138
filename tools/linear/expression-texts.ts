import { partsOf } from './read-expressions.ts'

/** What ends a text so that a match fails there, or goes on. */
const endings = ['', '\n', '\u0000', 'x', '!', ' ']

/** Texts for an expression: its own words and characters again and again, alone, in pairs and behind each other. */
export function expressionTexts(text: string): readonly ((length: number) => string)[] {
  const words = wordsOf(partsOf(text).source)
  const first = words[0] ?? ''
  const units = [...words, ...words.map((word) => `${word} `), ...pairsOf(words), ...usual]
  return units.flatMap((unit) =>
    endings.flatMap((ending) => [
      (length: number) => unit.repeat(Math.max(1, Math.floor(length / unit.length))) + ending,
      (length: number) => first + unit.repeat(Math.max(1, Math.floor(length / unit.length))) + ending,
    ]),
  )
}

const usual = ['a', '0', ' ', '\t', '\n', '/', '.', '-', ':', 'a.', 'a ', ' a', 'a-', '\n ', '<a ', '"']
const wordsMax = 8

/** The characters that an expression names, in runs. */
function wordsOf(source: string): readonly string[] {
  const plain = source.replaceAll(/\\[bBdDsSwW]|\(\?[:=!<]+|\[[^\]]*\]|\{[\d,]+\}|[()^$*+?|]/g, '\u0001').replaceAll(/\\(.)/g, '$1')
  return [...new Set(plain.split('\u0001').filter((word) => word !== ''))].slice(0, wordsMax)
}

function pairsOf(words: readonly string[]): readonly string[] {
  return words.flatMap((one) => words.filter((other) => other !== one).map((other) => `${one}${other}`)).slice(0, wordsMax * 2)
}

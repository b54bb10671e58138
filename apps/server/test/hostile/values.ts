/**
 * Values of every type that JSON has, which a vendor may send in the place of any other. Infinity is the value of a number such as 1e400, which
 * `hostileJson` writes.
 */
export const hostileValues: ReadonlyArray<readonly [kind: string, value: unknown]> = [
  ['a fraction', 2_000_000_000.5],
  ['a number beyond every type', 1e21],
  ['the largest number', 1.797e308],
  ['an infinite number', Number.POSITIVE_INFINITY],
  ['a negative number', -1],
  ['a negative fraction', -0.25],
  ['a number beyond the whole ones', 2 ** 53],
  ['zero', 0],
  ['a number as a text', '2000000000.5'],
  ['a word that JavaScript reads as no number', 'NaN'],
  ['null', null],
  ['true', true],
  ['false', false],
  ['an empty list', []],
  ['an empty object', {}],
  ['a list', [1, 'a', null, [2.5]]],
  ['an object', { toString: 'x', length: -1, constructor: null, id: 2.5 }],
  ['an empty text', ''],
  ['a long text', 'x'.repeat(70_000)],
  ['a text with U+0000', 'a\0b'],
  ['half of a surrogate pair', 'a\ud800b'],
  ['a text of control characters', '\u0001\u001b[31m\r\n'],
  ['deep nesting', JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`)],
]

const infinite = '\u0001infinite\u0001'

/** JSON with these values. */
export function hostileJson(value: unknown): string {
  const text = JSON.stringify(value, (_, member: unknown) => (member === Number.POSITIVE_INFINITY ? infinite : member))
  return text.replaceAll(JSON.stringify(infinite), '1e400')
}

/** Something hostile of a given size. */
export interface Input {
  readonly name: string
  /** Where it is hostile, if only a part of it is. Inputs of one place differ in what is there. */
  readonly place?: string | undefined
  /** @param bytes about how long it is as JSON */
  make(bytes: number): unknown
}

/** A hostile text of a given length. */
export interface TextInput extends Input {
  make(bytes: number): string
}

/** What texts repeat: one character of each kind, blanks of each kind, and pairs that begin a form again and again. */
const units: readonly string[] = [
  ...['a', 'A', '0', '9', ' ', '\t', '\n', '\r', '\f', '\u00a0', '\u2028', '\u0000', '\ud800', 'é', '你', '🙂'],
  ...[
    '.',
    ':',
    '/',
    '*',
    '`',
    '-',
    '[',
    ']',
    '<',
    '"',
    "'",
    '\\',
    '(',
    '{',
    '=',
    '&',
    '?',
    '#',
    '@',
    '%',
    ',',
    ';',
    '_',
    '|',
    '$',
    '+',
    '~',
    '!',
  ],
  ...[
    ' \n',
    ' \t',
    '\r\n',
    '\n\n',
    'a ',
    'a\n',
    ' a',
    '.a#',
    '.a?',
    'a:',
    'a.',
    'a-',
    'a/',
    'a@',
    '0.',
    '0,',
    '1h',
    'a=',
    'a;',
    '%4',
    '\\u',
  ],
  ...[
    '[a](',
    '[[',
    '![',
    '**a',
    '```',
    '```\n',
    '\n- ',
    '> ',
    '<a',
    '</',
    '<iframe ',
    '<pre',
    '<!--',
    '&amp',
    '{"a":',
    '[1,',
    '{}',
    '${',
    '{{',
  ],
  ...[
    'data:',
    'data: {}\n\n',
    'data: \n',
    'http://',
    'https://a/',
    'eyJ',
    'sk-',
    'Bearer ',
    'task',
    'model ',
    'token ',
    'retry in 1',
    '\n  at a (',
    '__proto__',
  ],
]

/** What a text ends with: the character that makes a match fail at its end, if there is one. */
const endings: Readonly<Record<string, string>> = { nothing: '', 'a line feed': '\n', 'a NUL': '\u0000', 'an x': 'x' }

/** What some texts begin with, so that the rest is read at all. */
const beginnings: readonly string[] = [
  'data:image/png;base64,',
  'https://a.example',
  '```json\n',
  '{"error":{"message":"',
  '/v1',
  'gpt-',
  'Bearer ',
  'image/',
]

/** Beginnings of forms with what their rest may be made of. */
const beginningUnits: readonly (readonly [beginning: string, unit: string])[] = [
  ['```json\n', ' \n'],
  ['https://a.example', '/'],
  ['https://a.example/v0', '0'],
  ['X:', '\t'],
  ['data:image/png;base64,', 'A'],
]

function repeat(unit: string, length: number): string {
  return unit.repeat(Math.max(1, Math.floor(length / unit.length)))
}

const quoted = (text: string): string => JSON.stringify(text)

/** Every repeated text with every ending. */
export const allTexts: readonly TextInput[] = [
  ...units.flatMap((unit) =>
    Object.entries(endings).map(([name, ending]) => ({
      name: `text of ${quoted(unit)}, then ${name}`,
      make: (bytes: number) => repeat(unit, bytes) + ending,
    })),
  ),
  ...beginnings.flatMap((beginning) =>
    ['a', '0', ' ', '/', '.', '\n'].map((unit) => ({
      name: `${quoted(beginning)}, text of ${quoted(unit)}, then a line feed`,
      make: (bytes: number) => `${beginning}${repeat(unit, bytes)}\n`,
    })),
  ),
  ...nestedTexts(),
]

/** Each repeated text once, for places that are tried with many documents. */
export const someTexts: readonly TextInput[] = [
  ...units.map((unit) => {
    const ending = unit.trim() === '' ? 'x' : '\n'
    return { name: `text of ${quoted(unit)}, then ${quoted(ending)}`, make: (bytes: number) => repeat(unit, bytes) + ending }
  }),
  ...beginningUnits.map(([beginning, unit]) => ({
    name: `${quoted(beginning)}, text of ${quoted(unit)}, then a NUL`,
    make: (bytes: number) => `${beginning}${repeat(unit, bytes)}\u0000`,
  })),
  ...nestedTexts(),
]

/** JSON within a text, which no check of the body has seen. */
function nestedTexts(): readonly TextInput[] {
  return [
    { name: 'JSON text of nested lists', make: (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2) },
    { name: 'JSON text of nested objects', make: (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}` },
    { name: 'JSON text of empty objects', make: (bytes) => `[${repeat('{},', bytes)}{}]` },
    { name: 'JSON text of many members', make: (bytes) => `{${membersText(bytes)}}` },
    { name: 'JSON text of one long text', make: (bytes) => JSON.stringify({ a: repeat('"', bytes / 2) }) },
  ]
}

function membersText(bytes: number): string {
  return Array.from({ length: Math.max(1, Math.floor(bytes / 10)) }, (_, index) => `"k${index}":1`).join(',')
}

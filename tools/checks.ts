import { titleSeparator } from './test-titles.ts'

// Reads the check list of the console, `apps/console/CHECKS.md`: its head says how a line is written.

/** What the lines of each prefix are about. A new prefix is added here and as a heading of the list. */
export const checkPrefixes = {
  G: 'every page',
  L: 'login',
  R: 'registration',
  P: 'password reset',
  O: 'callbacks of other services',
  H: 'home and notice',
  T: 'list of tokens',
  TF: 'form of a token',
  C: 'list of channels',
  CF: 'form of a channel',
  RD: 'redemption codes',
  U: 'list of users',
  UE: 'form of a user',
  LG: 'log',
  TU: 'top-up',
  S: 'settings',
  X: 'chat and about',
  D: 'lists, keys, forms and theme',
  A: 'accessibility',
  I: 'languages',
  V: 'validation rules',
  E: 'error catalogue',
  M: 'success messages',
  B: 'beyond the specification',
} as const

interface TestName {
  readonly file: string
  readonly title: string
}

export interface Check {
  readonly id: string
  readonly sentence: string
  readonly tests: readonly TestName[]
}

const checkLine = /^- \*\*(?<id>[^*]+)\*\* (?<sentence>.+)$/
const testLine = /^ {2}- `(?<file>[^`]+)`(?<title>.*)$/

/** The lines of the list, each with the tests below it. */
export function readChecks(markdown: string): readonly Check[] {
  const checks: { readonly id: string; readonly sentence: string; readonly tests: TestName[] }[] = []
  for (const line of markdown.split('\n')) {
    const { id, sentence } = checkLine.exec(line)?.groups ?? {}
    if (id !== undefined && sentence !== undefined) checks.push({ id, sentence, tests: [] })
    const { file, title } = testLine.exec(line)?.groups ?? {}
    if (file !== undefined) checks.at(-1)?.tests.push({ file, title: (title ?? '').replace(titleSeparator, '') })
  }
  return checks
}

interface Known {
  /** The titles of the tests of each file. */
  readonly titles: ReadonlyMap<string, readonly string[]>
  /** Ids of lines that have no test yet. */
  readonly notYet: readonly string[]
}

/** What is wrong with the list, one sentence each. */
export function faultsOf(checks: readonly Check[], { titles, notYet }: Known): readonly string[] {
  const ids = checks.map(({ id }) => id)
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id}: two lines have this id`),
    ...ids.filter((id) => !isKnownId(id)).map((id) => `${id}: no known prefix with a number`),
    ...notYet.filter((id) => checks.find((check) => check.id === id)?.tests.length !== 0).map((id) => `${id}: has a test now, or no line`),
    ...checks.filter(({ id, tests }) => tests.length === 0 && !notYet.includes(id)).map(({ id }) => `${id}: names no test`),
    ...checks.flatMap(({ id, tests }) => tests.flatMap((test) => missing(test, titles).map((why) => `${id}: ${why}`))),
  ]
}

/** A prefix, a number, and a letter where one statement has several lines. */
function isKnownId(id: string): boolean {
  const prefix = /^(?<prefix>[A-Z]+)\d+[a-z]?$/.exec(id)?.groups?.['prefix']
  return prefix !== undefined && Object.hasOwn(checkPrefixes, prefix)
}

function missing({ file, title }: TestName, titles: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const known = titles.get(file)
  if (known === undefined) return [`there is no test file ${file}`]
  return known.includes(title) ? [] : [`${file} has no test “${title}”`]
}

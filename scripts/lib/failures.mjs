import { stripVTControlCharacters } from 'node:util'

// Makes the summary of failures at the very end of `npm test`, which is often the only part that is read.

/**
 * @typedef {{ readonly name: string, readonly why: readonly string[] }} Failure what failed, and what was said of it, line by line
 * @typedef {{ readonly check: string, readonly failures: readonly Failure[] }} Outcome
 *
 * The parts of a Playwright report that are read here:
 * @typedef {{ readonly message?: string }} ReportedError
 * @typedef {{ readonly projectName: string, readonly status: string, readonly results: readonly { readonly errors: readonly ReportedError[] }[] }} Run
 * @typedef {{ readonly title: string, readonly file: string, readonly line: number, readonly tests: readonly Run[] }} Spec
 * @typedef {{ readonly title: string, readonly file: string, readonly specs?: readonly Spec[], readonly suites?: readonly Suite[] }} Suite
 */

/** Enough for an error and its stack; longer ones are cut at the end. */
const whyLinesMax = 40
/** Lines kept of a program that passes or fails as a whole: the reason is near the end. */
const lastLinesMax = 30
/** Fewer than a terminal keeps, or the end of a log shows. */
const linesMax = 200
/** A body or a stream that differs may be one line of a megabyte. */
const lineCharactersMax = 400

/** @param {string} text */
const linesOf = (text) => stripVTControlCharacters(text).split(/\r?\n/)

/**
 * What a program printed last.
 * @param {string} text
 */
export const lastLines = (text) => linesOf(text.trimEnd()).slice(-lastLinesMax)

/** Lines that separate the outputs of tests and their errors: a file's name, a test's end, an error outside of tests. */
const marks = new RegExp(
  [
    /^(?:::group::)?(?<file>\S+\.test\.tsx?):$/,
    /^\((?:pass|skip|todo)\) .*$/,
    /^\(fail\) (?<name>.*?)(?: \[[\d.]+m?s\])?(?<after>(?:\n {2}\^ .*)*)$/,
    /^# Unhandled error between tests\n-{20,}\n(?<lost>[\s\S]*?)\n-{20,}$/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gm',
)
/** The source lines above an error, and the marker below them. */
const sourceLine = /^ *(?:\d+ \||\^ *$)/
const errorLine = /^(?:error|\w*Error)\b/

/**
 * The error without the source lines above it and without earlier output of the test.
 * @param {string} text
 */
function errorIn(text) {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => errorLine.test(line))
  return lines.slice(Math.max(first, 0)).filter((line) => line.trim() !== '' && !sourceLine.test(line))
}

/**
 * The failed tests in the output of Bun's runner, which prints an error before the name of its test.
 * @param {string} text
 * @returns {readonly Failure[]}
 */
export function failuresOfBun(text) {
  const plain = linesOf(text).join('\n')
  const failures = []
  let file = ''
  let end = 0
  for (const match of plain.matchAll(marks)) {
    const { name, after = '', lost } = match.groups ?? {}
    file = match.groups?.file ?? file
    if (name !== undefined) failures.push({ name: `${file}: ${name}`, why: errorIn(plain.slice(end, match.index) + after) })
    if (lost !== undefined) failures.push({ name: `${file}: outside of its tests`, why: errorIn(lost) })
    end = match.index + match[0].length
  }
  return failures
}

/** @param {ReportedError} error */
const messageOf = ({ message = '' }) => linesOf(message).filter((line) => line.trim() !== '')

/**
 * The tests that a report of Playwright's calls unexpected, and what went wrong outside of tests.
 * @param {{ readonly suites?: readonly Suite[], readonly errors?: readonly ReportedError[] }} report
 * @returns {readonly Failure[]}
 */
export function failuresOfReport({ suites = [], errors = [] }) {
  const outside = errors.map((error) => ({ name: 'outside of the tests', why: messageOf(error) }))
  return [...suites.flatMap((suite) => failuresOfSuite(suite, [])), ...outside]
}

/**
 * @param {Suite} suite
 * @param {readonly string[]} above
 * @returns {readonly Failure[]}
 */
function failuresOfSuite({ title, file, specs = [], suites = [] }, above) {
  const titles = title === file ? above : [...above, title]
  const unexpected = specs.flatMap((spec) =>
    spec.tests
      .filter(({ status }) => status === 'unexpected')
      .map(({ projectName, results }) => ({
        name: [`[${projectName}] ${spec.file}:${spec.line}`, ...titles, spec.title].join(' › '),
        why: (results.at(-1)?.errors ?? []).flatMap(messageOf),
      })),
  )
  return [...unexpected, ...suites.flatMap((suite) => failuresOfSuite(suite, titles))]
}

/**
 * The failures of all checks with their reasons; empty if all passed. The more failures, the fewer lines for each.
 * @param {readonly Outcome[]} outcomes
 * @returns {readonly string[]}
 */
export function failureLines(outcomes) {
  const failures = outcomes.flatMap(({ check, failures }) => failures.map((failure) => ({ ...failure, check })))
  if (failures.length === 0) return []
  const whyMax = Math.min(whyLinesMax, Math.max(0, Math.floor(linesMax / failures.length) - 2))
  const lines = failures.flatMap(({ check, name, why }) => [`-- ${check}: ${name}`, ...cut(why, whyMax)])
  return ['', '== what failed', ...cut(lines, linesMax)].map((line) => line.slice(0, lineCharactersMax))
}

/**
 * @param {readonly string[]} lines
 * @param {number} max
 */
function cut(lines, max) {
  return lines.length <= max || max === 0 ? lines.slice(0, max) : [...lines.slice(0, max), `... and ${lines.length - max} lines more`]
}

import type { Node } from 'typescript/unstable/ast'
import {
  isCallExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isStringLiteral,
  isTemplateExpression,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { lineAt, placeOf, type Source, walk } from './sources.ts'

/** Of a label only; in a comment it is plain English. */
const labelOnly = 'until it (?:begins|ends)|silence'

/** Words and phrases that no text for people has, with the term of the field that stands in their place. Expressions, in lower case. */
const deniedTerms: Readonly<Record<string, string>> = {
  'pictures?': 'image',
  'films?': 'video',
  'sounds?': 'audio',
  'thoughts?': 'reasoning',
  'answer(?:s|ed)?|repl(?:y|ies|ied)': 'response, output',
  'ordered|drawn': 'created, generated',
  'tells?|told|heard|wish(?:es|ed)?': 'returns, reports, alerts',
  asked: 'requested',
  [labelOnly]: 'first-byte timeout, idle timeout, total timeout',
  'requests at once': 'max concurrent requests',
  'resting|rests': 'cooldown',
  'by hand|by the program': 'manually, automatically',
  'waits? for root': 'pending approval',
  'second steps?': 'two-factor authentication',
  'other time|time before|adds? up': 'custom range, previous period, cumulative',
  'by marks': 'cached input tokens',
}

const deniedInComments = new RegExp(
  `\\b(?:${Object.keys(deniedTerms)
    .filter((term) => term !== labelOnly)
    .join('|')}|silence)\\b`,
  'i',
)
const denied = new RegExp(`\\b(?:${Object.keys(deniedTerms).join('|')})\\b`, 'i')

/** The catalogues of the console and of the API, and what the server prints, logs and answers. Queries are no texts. */
const withTexts =
  /^apps\/console\/src\/lib\/messages\/en|^packages\/contract\/src\/(?:messages\/|summaries|members|openapi)|^apps\/server\/src\/(?!db\/migrations\/|.*queries\.ts$)/

/** Texts of product code that are shown to people and have such a word: place and text. */
export function deniedTextsIn(source: Source): readonly string[] {
  if (!withTexts.test(source.path)) return []
  const texts: string[] = []
  walk(source.tree, (node) => {
    const text = literalText(node)
    if (text.includes(' ') && denied.test(text) && !isQuery(text)) texts.push(`${placeOf(source, node)}: ${text}`)
  })
  return texts
}

const isQuery = (text: string): boolean => /\b(?:SELECT|FROM|UPDATE|WITH)\b/.test(text)

const literals: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
  SyntaxKind.JsxText,
])

/** Empty: the node is no literal. */
const literalText = (node: Node): string => (literals.has(node.kind) && 'text' in node ? String(node.text) : '')

/** Quotes and code in a comment are the words of others. */
const quoted = /`[^`]*`|"[^"]*"|“[^”]*”/g
const comments = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/gm

/** Comments, and titles of tests, that have such a word: place and line. */
export function deniedCommentsIn(source: Source): readonly string[] {
  const { path, text } = source
  const lines = [...text.matchAll(comments)].flatMap(({ 0: comment, index }) =>
    comment
      .replaceAll(quoted, (quote) => quote.replaceAll(/[^\n]/g, ' '))
      .split('\n')
      .map((line, offset) => [lineAt(text, index) + 1 + offset, line] as const),
  )
  const places = lines.filter(([, line]) => deniedInComments.test(line)).map(([line, comment]) => `${path}:${line}: ${comment.trim()}`)
  return [...places, ...deniedTitlesIn(source)]
}

const titled: ReadonlySet<string> = new Set(['test', 'describe', 'it'])

function deniedTitlesIn(source: Source): readonly string[] {
  const titles: string[] = []
  walk(source.tree, (node) => {
    const title = titleOf(node, source)
    if (deniedInComments.test(title)) titles.push(`${placeOf(source, node)}: ${title}`)
  })
  return titles
}

/** As it is written; empty: the node is no test or group of tests, or its title is computed. */
function titleOf(node: Node, { tree, text }: Source): string {
  if (!isCallExpression(node)) return ''
  let callee: Node = node.expression
  while (isCallExpression(callee) || isPropertyAccessExpression(callee)) callee = callee.expression
  const [title] = node.arguments
  if (!isIdentifier(callee) || !titled.has(callee.text) || title === undefined) return ''
  return isStringLiteral(title) || isTemplateExpression(title) || isNoSubstitutionTemplateLiteral(title)
    ? text.slice(title.getStart(tree), title.end)
    : ''
}

/** Comments that begin with "The same": whoever reads one in an editor does not see the one that it refers to. Their places. */
export function referringCommentsIn({ path, text }: Source): readonly string[] {
  return [...text.matchAll(/(?:\/\*\*|^\s*\*|\/\/)\s*The same\b/gm)].map(({ index }) => `${path}:${lineAt(text, index) + 1}`)
}

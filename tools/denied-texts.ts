import type { Node } from 'typescript/unstable/ast'
import { SyntaxKind } from 'typescript/unstable/ast'
import { lineAt, placeOf, type Source, walk } from './sources.ts'

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
  'until it (?:begins|ends)|silence': 'first-byte timeout, idle timeout, total timeout',
  'requests at once': 'max concurrent requests',
  'resting|rests': 'cooldown',
  'by hand|by the program': 'manually, automatically',
  'waits? for root': 'pending approval',
  'second steps?': 'two-factor authentication',
  'other time|time before|adds? up': 'custom range, previous period, cumulative',
  'by marks': 'cached input tokens',
}

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

/** Comments that begin with "The same": whoever reads one in an editor does not see the one that it refers to. Their places. */
export function referringCommentsIn({ path, text }: Source): readonly string[] {
  return [...text.matchAll(/(?:\/\*\*|^\s*\*|\/\/)\s*The same\b/gm)].map(({ index }) => `${path}:${lineAt(text, index) + 1}`)
}

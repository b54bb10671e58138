import type { CallExpression, Node } from 'typescript/unstable/ast'
import {
  isCallExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isStringLiteral,
  isTemplateExpression,
} from 'typescript/unstable/ast/is'
import type { Source } from './sources.ts'

/** Between the title of a `describe` and those of its tests. */
export const titleSeparator = ' › '

/** The full titles of all tests of a file: titles of the enclosing blocks first, templates as they are written. */
export function titlesOf(source: Source): readonly string[] {
  const titles: string[] = []
  collect(source, { node: source.tree, path: [], into: titles })
  return titles
}

interface Position {
  readonly node: Node
  readonly path: readonly string[]
  readonly into: string[]
}

function collect(source: Source, { node, path, into }: Position): void {
  node.forEachChild((child) => {
    const call = isCallExpression(child) ? testCall(source, child) : null
    if (call?.kind === 'test') into.push([...path, call.title].join(titleSeparator))
    collect(source, { node: child, path: call?.kind === 'describe' ? [...path, call.title] : path, into })
  })
}

/** What a call declares; `null`: neither a test nor a block of tests. Skipped tests are none. */
function testCall({ tree }: Source, call: CallExpression): { readonly kind: 'test' | 'describe'; readonly title: string } | null {
  const kind = kindOf(call.expression)
  const [first] = call.arguments
  if (kind === null || first === undefined) return null
  if (isStringLiteral(first) || isNoSubstitutionTemplateLiteral(first)) return { kind, title: first.text }
  return isTemplateExpression(first) ? { kind, title: first.getText(tree).slice(1, -1) } : null
}

/** `test`, `describe`, `test.describe`, and these with `.each(rows)`. */
function kindOf(callee: Node): 'test' | 'describe' | null {
  if (isIdentifier(callee)) return callee.text === 'test' || callee.text === 'describe' ? callee.text : null
  if (isCallExpression(callee)) {
    const { expression } = callee
    return isPropertyAccessExpression(expression) && expression.name.text === 'each' ? kindOf(expression.expression) : null
  }
  if (!isPropertyAccessExpression(callee) || callee.name.text !== 'describe') return null
  return isIdentifier(callee.expression) && callee.expression.text === 'test' ? 'describe' : null
}

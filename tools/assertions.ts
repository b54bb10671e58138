import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import { lineAt, placeOf, type Source, walk } from './sources.ts'

/** Most lines between an assertion and the comment with its reason above it. */
const reachLines = 4

/** Type assertions without a comment beside or above them, or above the statement that they are part of. `as const` needs none. */
export function silentAssertions(source: Source): readonly string[] {
  const lines = source.text.split('\n')
  const problems: string[] = []
  walk(source.tree, (node) => {
    if (!isAssertion(node)) return
    const last = lineAt(source.text, node.end)
    const first = Math.max(lineAt(source.text, statementOf(node).getStart(source.tree)), last - reachLines)
    const around = lines.slice(Math.max(0, first - 1), last + 1)
    if (!around.some((line) => /\/\/|\/\*|\*\//.test(line))) problems.push(`${placeOf(source, node)}: ${lines[last]?.trim()}`)
  })
  return problems
}

function isAssertion(node: Node): boolean {
  if (node.kind === SyntaxKind.TypeAssertionExpression) return true
  return node.kind === SyntaxKind.AsExpression && 'type' in node && !/^const$/.test(textOf(node.type))
}

function textOf(node: unknown): string {
  return typeof node === 'object' && node !== null && 'getText' in node && typeof node.getText === 'function' ? node.getText() : ''
}

function statementOf(node: Node): Node {
  let at = node
  while (at.parent !== undefined && !/Statement|Declaration|PropertyAssignment/.test(SyntaxKind[at.kind] ?? '')) at = at.parent
  return at
}

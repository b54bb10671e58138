import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import { isTest, placeOf, type Source, walk } from '../sources.ts'

/** A regular expression of the product. */
export interface Expression {
  readonly place: string
  /** As it is written: a literal, or the call that makes it of a text. */
  readonly text: string
  readonly isComputed: boolean
}

const isOfProduct = ({ path }: Source): boolean => /^(?:packages|apps)\/[^/]+\/src\//.test(path) && !isTest(path)

export function readExpressions(sources: readonly Source[]): readonly Expression[] {
  return sources.filter(isOfProduct).flatMap((source) => {
    const expressions: Expression[] = []
    walk(source.tree, (node) => {
      const isComputed = makesExpression(node)
      if (!isComputed && node.kind !== SyntaxKind.RegularExpressionLiteral) return
      const text = source.text.slice(node.getStart(source.tree), node.end).replace(/\s+/g, isComputed ? ' ' : '$&')
      expressions.push({ place: placeOf(source, node), text, isComputed })
    })
    return expressions
  })
}

/** `new RegExp(...)` and `RegExp(...)`. */
function makesExpression(node: Node): boolean {
  if (node.kind !== SyntaxKind.NewExpression && node.kind !== SyntaxKind.CallExpression) return false
  const called = 'expression' in node ? node.expression : null
  return typeof called === 'object' && called !== null && 'text' in called && called.text === 'RegExp'
}

/** A literal as its source and flags. */
export function partsOf(text: string): { readonly source: string; readonly flags: string } {
  const end = text.lastIndexOf('/')
  return { source: text.slice(1, end), flags: text.slice(end + 1) }
}

import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import {
  isArrayLiteralExpression,
  isBinaryExpression,
  isCallExpression,
  isCaseClause,
  isNumericLiteral,
  isPropertyAccessExpression,
  isSwitchStatement,
} from 'typescript/unstable/ast/is'
import { placeOf, type Source, walk } from './sources.ts'

const comparisons: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.EqualsEqualsToken,
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
  SyntaxKind.LessThanToken,
  SyntaxKind.LessThanEqualsToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.GreaterThanEqualsToken,
])

/** Comparisons of something called `type` with a number: `type === 33`, `switch (channel.type) { case 33: }`, `[3, 33].includes(type)`. */
export function typeBranches(source: Source): readonly string[] {
  const isType = (node: Node): boolean => /(?:^|\W)type(?:['"]\])?$|Type$/.test(node.getText(source.tree))
  const branches: string[] = []
  walk(source.tree, (node) => {
    if (branchesOnNumber(node, isType)) branches.push(placeOf(source, node))
  })
  return branches
}

function branchesOnNumber(node: Node, isType: (node: Node) => boolean): boolean {
  if (isBinaryExpression(node) && comparisons.has(node.operatorToken.kind)) {
    return (isType(node.left) && isNumericLiteral(node.right)) || (isNumericLiteral(node.left) && isType(node.right))
  }
  if (isSwitchStatement(node)) {
    const numbered = node.caseBlock.clauses.some((clause) => isCaseClause(clause) && isNumericLiteral(clause.expression))
    return numbered && isType(node.expression)
  }
  if (isCallExpression(node) && isPropertyAccessExpression(node.expression) && node.expression.name.text === 'includes') {
    const { expression: list } = node.expression
    return isArrayLiteralExpression(list) && list.elements.some(isNumericLiteral) && node.arguments.some(isType)
  }
  return false
}

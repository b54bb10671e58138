import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import { type Source, walk } from './sources.ts'

const textKinds: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.JsxText,
])

/** String and template literals, their parts, regular expressions and JSX text. */
export function textsOf({ tree }: Source): readonly Node[] {
  const texts: Node[] = []
  walk(tree, (node) => {
    if (textKinds.has(node.kind)) texts.push(node)
  })
  return texts
}

/** The source with comments and texts overwritten, so that patterns match only code. Every other character keeps its offset. */
export function codeOf(source: Source): string {
  let code = source.text
  for (const node of textsOf(source)) {
    const start = node.getStart(source.tree)
    code = code.slice(0, start) + code.slice(start, node.end).replace(/[^\n]/g, '_') + code.slice(node.end)
  }
  return code.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, (comment) => comment.replace(/[^\n]/g, ' '))
}

/** Whether each line holds code: not blank and not only a comment. */
export function codeLinesOf(source: Source): readonly boolean[] {
  return codeOf(source)
    .split('\n')
    .map((line) => line.trim() !== '')
}

import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import { codeLinesOf } from './code.ts'
import { lineAt, placeOf, type Source, walk } from './sources.ts'

/** One function and how long it is. */
export interface MeasuredFunction {
  readonly place: string
  readonly name: string
  /** A React component: a function with a capital letter in a .tsx file. */
  readonly isComponent: boolean
  /** Lines of code, without those of named functions inside it, which are measured separately. */
  readonly codeLines: number
}

const functionKinds: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
])

export function functionsOf(source: Source): readonly MeasuredFunction[] {
  const isCode = codeLinesOf(source)
  const functions: MeasuredFunction[] = []
  walk(source.tree, (node) => {
    if (!functionKinds.has(node.kind)) return
    const name = nameOf(node)
    const own = new Set(codeLinesIn(source, node, isCode))
    for (const inner of namedFunctionsIn(node)) for (const line of codeLinesIn(source, inner, isCode)) own.delete(line)
    const isComponent = source.path.endsWith('.tsx') && /^[A-Z]/.test(name)
    functions.push({ place: placeOf(source, node), name: name || 'a function without a name', isComponent, codeLines: own.size })
  })
  return functions
}

/** The outermost named functions below a node: declarations, methods, and functions assigned to a constant or property. */
function namedFunctionsIn(node: Node): readonly Node[] {
  const inner: Node[] = []
  const visit = (child: Node): void => {
    if (functionKinds.has(child.kind) && nameOf(child) !== '') inner.push(child)
    else child.forEachChild(visit)
  }
  node.forEachChild(visit)
  return inner
}

function nameOf(node: Node): string {
  const named = 'name' in node && node.name !== undefined ? node : node.parent
  const holds = named === node || named.kind === SyntaxKind.VariableDeclaration || named.kind === SyntaxKind.PropertyAssignment
  if (node.kind === SyntaxKind.Constructor) return 'constructor'
  return holds && 'name' in named ? textOf(named.name) : ''
}

function textOf(name: unknown): string {
  return typeof name === 'object' && name !== null && 'text' in name ? String(name.text) : ''
}

function codeLinesIn(source: Source, node: Node, isCode: readonly boolean[]): readonly number[] {
  const first = lineAt(source.text, node.getStart(source.tree))
  const last = lineAt(source.text, node.end)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index).filter((line) => isCode[line] === true)
}

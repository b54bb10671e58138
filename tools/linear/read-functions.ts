import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import { isTest, type Source, walk } from '../sources.ts'

/** An exported function, class or other value of a watched file. */
export interface Exported {
  readonly file: string
  readonly name: string
  /** Of a function: its parameters as `name: type`, or the declared type of the function. `null`: not a declared function. */
  readonly parameters: readonly string[] | null
  /** The type that the declaration names, if it names one. */
  readonly type: string | null
}

/** Folders whose exported functions get data from outside. */
const watched = /^(?:packages\/(?:vendors|contract)\/src|apps\/server\/src\/(?:lib|import|relay\/(?:wire|pricing|ingress|response)))\//

export const isWatched = ({ path }: Pick<Source, 'path'>): boolean => watched.test(path) && !isTest(path)

export const keyOf = ({ file, name }: Pick<Exported, 'file' | 'name'>): string => `${file}#${name}`

/** Every value that a file exports by a declaration. Types and re-exports are left out. */
export function readExports(source: Source): readonly Exported[] {
  const exports: Exported[] = []
  source.tree.forEachChild((node) => {
    if (isExported(node)) exports.push(...exportedBy(source, node))
  })
  return [...new Map(exports.map((row) => [keyOf(row), row])).values()]
}

function exportedBy(source: Source, node: Node): readonly Exported[] {
  const file = source.path
  if (node.kind === SyntaxKind.FunctionDeclaration)
    return [{ file, name: nameOf(node), parameters: parameterTypes(source, node), type: null }]
  if (node.kind === SyntaxKind.ClassDeclaration) return [{ file, name: nameOf(node), parameters: null, type: 'class' }]
  const declared: Exported[] = []
  if (node.kind !== SyntaxKind.VariableStatement) return declared
  walk(node, (child) => {
    if (child.kind !== SyntaxKind.VariableDeclaration || child.parent.parent !== node) return
    const value = partOf(child, 'initializer')
    const type = textOf(source, partOf(child, 'type'))
    const isFunction = value !== null && (value.kind === SyntaxKind.ArrowFunction || value.kind === SyntaxKind.FunctionExpression)
    const parameters = !isFunction ? null : type === null ? parameterTypes(source, value) : [`{}: of ${type}`]
    declared.push({ file, name: nameOf(child), parameters, type })
  })
  return declared
}

function parameterTypes(source: Source, node: Node): readonly string[] {
  const list = 'parameters' in node && isList(node.parameters) ? node.parameters : []
  return [...list].map((parameter) => {
    const name = source.text.slice(parameter.getStart(source.tree), parameter.end).split(/[?:=, {]/, 1)[0] ?? ''
    return `${name || '{}'}: ${textOf(source, partOf(parameter, 'type')) ?? typeOfDefault(partOf(parameter, 'initializer'))}`
  })
}

/** The type of a parameter that has a default value in its place. */
function typeOfDefault(value: Node | null): string {
  if (value?.kind === SyntaxKind.StringLiteral) return 'string'
  if (value?.kind === SyntaxKind.TrueKeyword || value?.kind === SyntaxKind.FalseKeyword) return 'boolean'
  return value?.kind === SyntaxKind.ObjectLiteralExpression ? 'options' : 'number'
}

function isExported(node: Node): boolean {
  const list = 'modifiers' in node && isList(node.modifiers) ? [...node.modifiers] : []
  return list.some(({ kind }) => kind === SyntaxKind.ExportKeyword)
}

function isList(value: unknown): value is Iterable<Node> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

function partOf(node: Node, name: 'initializer' | 'type' | 'name'): Node | null {
  // Holds: these members of a node are nodes or missing.
  return ((node as unknown as Readonly<Record<string, Node | undefined>>)[name] ?? null) satisfies Node | null
}

function nameOf(node: Node): string {
  const name = partOf(node, 'name')
  return name !== null && 'text' in name ? String(name.text) : ''
}

/** The type of a parameter without its name. */
export const typeOf = (parameter: string): string => parameter.slice(parameter.indexOf(': ') + 2)

function textOf(source: Source, node: Node | null): string | null {
  return node === null ? null : source.text.slice(node.getStart(source.tree), node.end).replace(/\s+/g, ' ')
}

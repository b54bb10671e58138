import { posix } from 'node:path'
import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import {
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isNoSubstitutionTemplateLiteral,
  isStringLiteral,
} from 'typescript/unstable/ast/is'
import { placeOf, type Source, walk } from './sources.ts'

/** One import, static or dynamic, of values or types. */
export interface Import {
  readonly place: string
  /** The importing file, as the table names it: `server/relay/upstream/attempt.ts`. */
  readonly from: string
  /** The imported file, as the table names it: `server/lib/clock.ts`; a package or a module of the runtime as written. */
  readonly to: string
}

export function importsOf(source: Source): readonly Import[] {
  const imports: Import[] = []
  walk(source.tree, (node) => {
    const specifier = specifierOf(node)
    if (specifier !== null) imports.push({ place: placeOf(source, node), from: nameOf(source.path), to: resolve(source.path, specifier) })
  })
  return imports
}

/** `apps/server/src/relay/x.ts` -> `server/relay/x.ts`; `packages/contract/src/x.ts` -> `contract/x.ts`. */
export function nameOf(path: string): string {
  return path.replace(/^(?:packages|apps)\/([^/]+)\/src\//, '$1/')
}

function specifierOf(node: Node): string | null {
  if (isImportDeclaration(node) || isExportDeclaration(node)) return textOf(node.moduleSpecifier)
  if (isImportTypeNode(node)) return isLiteralTypeNode(node.argument) ? textOf(node.argument.literal) : null
  if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) return textOf(node.arguments[0])
  return null
}

function textOf(node: Node | undefined): string | null {
  return node !== undefined && (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) ? node.text : null
}

function resolve(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return nameOf(posix.join(posix.dirname(path), specifier))
  const [scope, name, ...rest] = specifier.split('/')
  return scope === '@sluice' ? `${name}/${rest.length === 0 ? 'index' : rest.join('/')}.ts` : specifier
}

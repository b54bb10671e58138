import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import { parseSources, type Source, walk } from './sources.ts'

// What the types of vendors' own clients say of requests, read off their declarations.

const root = join(import.meta.dir, '..')

/** The declarations of a client, parsed. */
export async function readDeclarations(path: string): Promise<Source> {
  const text = readFileSync(join(root, 'node_modules', path), 'utf8')
  const [source] = await parseSources({ [path.replace(/[^\w.-]/g, '_').replace(/\.d\.ts$/, '.ts')]: text })
  if (source === undefined) throw new Error(`${path} could not be parsed`)
  return source
}

/** The text of a node without comments before it. */
const textOf = (source: Source, node: Node): string => source.text.slice(node.getStart(source.tree), node.end)

/** Declarations of interfaces and types with a name, which may be inside a namespace: `Tool.Mcp`. */
function declarationsOf(source: Source, name: string): readonly Node[] {
  const last = name.split('.').at(-1) ?? name
  const nodes: Node[] = []
  walk(source.tree, (node) => {
    const isDeclaration = node.kind === SyntaxKind.InterfaceDeclaration || node.kind === SyntaxKind.TypeAliasDeclaration
    // Types of one name in several namespaces are not distinguished.
    const before = name.includes('.') ? '(?:export |declare )*' : 'export (?:declare )?'
    if (isDeclaration && new RegExp(`^${before}(?:interface|type) ${last}\\b`).test(textOf(source, node))) nodes.push(node)
  })
  return nodes
}

/** The properties that a type declares itself, without those of the objects in them. */
function propertiesOf(source: Source, declaration: Node): readonly Node[] {
  const all: Node[] = []
  walk(declaration, (node) => {
    if (node.kind === SyntaxKind.PropertySignature) all.push(node)
  })
  return all.filter(
    (one) => !all.some((other) => other !== one && other.getStart(source.tree) <= one.getStart(source.tree) && one.end < other.end),
  )
}

const nameOf = (source: Source, property: Node): string => /^(?:readonly )?['"]?([\w$.-]+)/.exec(textOf(source, property))?.[1] ?? ''

/** The names of the members of a type. */
export function membersOf(source: Source, name: string): readonly string[] {
  return declarationsOf(source, name).flatMap((declaration) =>
    propertiesOf(source, declaration).map((property) => nameOf(source, property)),
  )
}

/** The values of `type` that a declaration allows. */
function typesOf(source: Source, name: string): readonly string[] {
  return declarationsOf(source, name).flatMap((one) =>
    propertiesOf(source, one)
      .filter((property) => nameOf(source, property) === 'type')
      .flatMap((property) => [...textOf(source, property).matchAll(/["']([^"']+)["']/g)].map(([, type = '']) => type)),
  )
}

/** The values of `type` of the members of a union. */
export function typesOfUnion(source: Source, union: string): readonly string[] {
  const [declaration] = declarationsOf(source, union)
  const names =
    declaration === undefined
      ? []
      : textOf(source, declaration)
          .replace(/^[^=]*=/, '')
          .match(/[\w.]+/g)
  return (names ?? []).flatMap((name) => typesOf(source, name))
}

/** The names of the types of a list, each of which has a file of its own in this client. */
export function entriesOf(source: Source, type: string, member: string): readonly string[] {
  const lists = declarationsOf(source, type).flatMap((one) =>
    propertiesOf(source, one).filter((property) => nameOf(source, property) === member),
  )
  const names = lists.flatMap((property) => textOf(source, property).match(/(?<![\w$])[A-Z]\w+(?![\w$])/g) ?? [])
  return [...new Set(names)].filter((name) => name !== 'Array' && name !== 'Cohere')
}

/** The values of `type` of a type in its own file. */
export const typesOfFile = async (path: string, name: string): Promise<readonly string[]> => typesOf(await readDeclarations(path), name)

/** The members that distinguish the entries of a union: each has one that is not `never`. */
export function keysOfUnion(source: Source, union: string): readonly string[] {
  const [declaration] = declarationsOf(source, union)
  const names = declaration === undefined ? [] : (textOf(source, declaration).match(/\b\w+\.(\w+Member)\b/g) ?? [])
  return names.flatMap((name) =>
    declarationsOf(source, name).flatMap((one) =>
      propertiesOf(source, one)
        .filter((property) => !/: never;?$/.test(textOf(source, property)))
        .map((property) => nameOf(source, property)),
    ),
  )
}

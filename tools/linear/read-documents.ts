import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import type { Source } from '../sources.ts'

const root = join(import.meta.dir, '../..')
/** Documents of a folder; more have members that others have too. */
const documentsMax = 60
/** Longest document as it is written: it is made larger. */
const bytesMax = 8 * 1024

/**
 * The JSON objects that the tests of a folder and its fixtures write down, and every object within them: one for each set of members. A new
 * dialect brings such tests, so that what its vendor sends is known here without another list.
 */
export function readDocuments(sources: readonly Source[]): Readonly<Record<string, readonly JsonObject[]>> {
  const byFolder = new Map<string, Map<string, JsonObject>>()
  const add = (folder: string, value: Json): void => {
    const documents = byFolder.get(folder) ?? new Map<string, JsonObject>()
    byFolder.set(folder, documents)
    for (const object of objectsWithin(value)) {
      const shape = shapeOf(object)
      if (documents.size < documentsMax && !documents.has(shape) && JSON.stringify(object).length <= bytesMax) documents.set(shape, object)
    }
  }
  for (const source of sources) {
    if (!/^(?:packages|apps)\/.*\.test\.ts$/.test(source.path)) continue
    for (const value of literalsIn(source.tree)) add(dirname(source.path), value)
  }
  for (const path of fixturesUnder('packages/vendors/src')) {
    const value: Json = JSON.parse(readFileSync(join(root, path), 'utf8'))
    add(dirname(path).replace(/\/fixtures(?:\/.*)?$/, ''), value)
  }
  return Object.fromEntries([...byFolder].map(([folder, documents]) => [folder, [...documents.values()]]))
}

/** Every object within some documents, one for each set of members. */
export function objectsOf(documents: readonly JsonObject[]): readonly JsonObject[] {
  const byShape = new Map(documents.flatMap((document) => objectsWithin(document)).map((object) => [shapeOf(object), object]))
  return [...byShape.values()]
}

function fixturesUnder(folder: string): readonly string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = `${folder}/${name}`
    if (statSync(join(root, path)).isDirectory()) return fixturesUnder(path)
    return /\/fixtures\/.*\.json$/.test(path) ? [path] : []
  })
}

/** The outermost objects of constants in a file. */
function literalsIn(node: Node): readonly Json[] {
  if (node.kind === SyntaxKind.ObjectLiteralExpression) {
    const value = constantOf(node)
    if (value !== undefined) return [value]
  }
  const values: Json[] = []
  node.forEachChild((child) => {
    values.push(...literalsIn(child))
  })
  return values
}

/** The value of a constant; `undefined`: it is computed. A computed member is left out of its object. */
function constantOf(node: Node): Json | undefined {
  switch (node.kind) {
    case SyntaxKind.StringLiteral:
    case SyntaxKind.NoSubstitutionTemplateLiteral:
      return 'text' in node ? String(node.text) : undefined
    case SyntaxKind.NumericLiteral:
      return 'text' in node ? Number(node.text) : undefined
    case SyntaxKind.TrueKeyword:
      return true
    case SyntaxKind.FalseKeyword:
      return false
    case SyntaxKind.NullKeyword:
      return null
    case SyntaxKind.ArrayLiteralExpression:
      return childrenOf(node).flatMap((child) => constantOf(child) ?? [])
    case SyntaxKind.ObjectLiteralExpression:
      return objectOf(node)
    default:
      return undefined
  }
}

function objectOf(node: Node): JsonObject | undefined {
  const members = childrenOf(node).flatMap((member) => {
    const [name, value] = childrenOf(member)
    if (member.kind !== SyntaxKind.PropertyAssignment || name === undefined || value === undefined || !('text' in name)) return []
    const read = constantOf(value)
    return read === undefined ? [] : [[String(name.text), read] as const]
  })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

function childrenOf(node: Node): readonly Node[] {
  const children: Node[] = []
  node.forEachChild((child) => {
    children.push(child)
  })
  return children
}

function objectsWithin(value: Json): readonly JsonObject[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap((member) => (member === undefined ? [] : objectsWithin(member)))
  return isObject(value) ? [value, ...inner] : inner
}

/** The names of the members with their kinds; where an object names its type, that too. */
function shapeOf(object: JsonObject): string {
  const names = Object.entries(object).map(([name, value]) => `${name}:${Array.isArray(value) ? 'list' : typeof value}`)
  const type = ['type', 'role', 'event'].map((name) => object[name]).filter((value) => typeof value === 'string')
  return [...names.sort(), ...type].join(' ')
}

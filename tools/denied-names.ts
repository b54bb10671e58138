import type { Node } from 'typescript/unstable/ast'
import { SyntaxKind } from 'typescript/unstable/ast'
import { placeOf, type Source, walk } from './sources.ts'

/**
 * Words that no name of ours has, alone or as a part: they say what happened to a value (`asked`, `askedModel`), and not what it is. Names of the
 * wire and of columns, which have underscores, and booleans (`isFound`) may have them.
 */
const deniedWords: ReadonlySet<string> = new Set([
  ...[
    'answer',
    'answered',
    'answers',
    'drawn',
    'film',
    'films',
    'ordered',
    'picture',
    'pictures',
    'replies',
    'reply',
    'sound',
    'thought',
    'thoughts',
  ],
  ...['asked', 'brought', 'came', 'come', 'coming', 'deed', 'found', 'given', 'gone', 'heard', 'made', 'meant', 'said', 'sent'],
  ...['shown', 'tell', 'tells', 'told', 'wanted', 'wish', 'wished', 'wishes'],
])

/** Names that the API, stored data or a vendor's wire format has, which the types that describe them take over. */
const wireNames: ReadonlySet<string> = new Set(['answers', 'film', 'picture', 'pictureDefault', 'pictures', 'thought'])

/** Names of types that say nothing even without such a word. */
const deniedTypes: ReadonlySet<string> = new Set([
  ...['Behind', 'Beside', 'Claimed', 'Hindrance', 'How', 'InForm', 'InTurn', 'LookUp', 'MoneyLine', 'Named', 'Of', 'Pace', 'Resters'],
  ...['Resting', 'Sight', 'Sold', 'Sought', 'Speaking', 'Where'],
])

const booleanStart = /^(?:is|has|can|should|may|was|does|did|needs|will|are|had)[A-Z]/

const declarations: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.VariableDeclaration,
  SyntaxKind.Parameter,
  SyntaxKind.BindingElement,
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ClassDeclaration,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.TypeParameter,
  SyntaxKind.PropertySignature,
  SyntaxKind.MethodSignature,
  SyntaxKind.PropertyDeclaration,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
])

const types: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ClassDeclaration,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
])

/** The words of a name in camel case, in kebab case, or with an extension, in lower case. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)

/** Whether a name has a word of the list. */
function isDenied(name: string): boolean {
  return !name.includes('_') && !booleanStart.test(name) && wordsOf(name).some((word) => deniedWords.has(word))
}

/** The declarations of a file, and the file itself, whose names are on the lists: place and name. */
export function deniedNamesIn(source: Source): readonly string[] {
  const fileName = source.path.slice(source.path.lastIndexOf('/') + 1)
  // A migration is stored under the name of its file, so it keeps that.
  const denied = isDenied(fileName) && !source.path.includes('/migrations/') ? [source.path] : []
  walk(source.tree, (node) => {
    const name = declaredName(node)
    if (node.kind === SyntaxKind.PropertySignature && wireNames.has(name)) return
    if (isDenied(name) || (types.has(node.kind) && deniedTypes.has(name))) denied.push(`${placeOf(source, node)}: ${name}`)
  })
  return denied
}

/** Empty: the node declares no name. */
function declaredName(node: Node): string {
  if (!declarations.has(node.kind) || !('name' in node)) return ''
  const { name } = node
  return typeof name === 'object' && name !== null && 'kind' in name && name.kind === SyntaxKind.Identifier && 'text' in name
    ? String(name.text)
    : ''
}

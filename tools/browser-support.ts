import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import bcd from '@mdn/browser-compat-data' with { type: 'json' }
import type { CompatStatement, Identifier, SimpleSupportStatement } from '@mdn/browser-compat-data'
import { type Node, parse } from 'acorn'
import { simple } from 'acorn-walk'
import { type CssNode, parse as parseCss, walk as walkCss } from 'css-tree'
import { oldestBrowsers } from '../apps/console/build/browsers.ts'

/** Something in a built file that a browser of the list does not have. */
export interface Unsupported {
  /** As `AbortSignal.any`, `.union` or `css :has`. */
  readonly feature: string
  /** The names of the files without the hashes of their contents. */
  readonly files: readonly string[]
}

/** The features of the last edition of ECMAScript that each browser of the list has completely: its syntax, its regular expressions too. */
const ecmaVersion = 2023

const browserOf = { chrome: 'chrome', edge: 'edge', firefox: 'firefox', safari: 'safari', ios: 'safari_ios' } as const

/** Whether all browsers of the list have a feature without a flag, a prefix or another name. */
function isSupported({ support }: CompatStatement): boolean {
  // Holds: both tables have the same names.
  return (Object.keys(browserOf) as (keyof typeof browserOf)[]).every((name) => {
    const statements = [support[browserOf[name]] ?? []].flat()
    return statements.some((statement) => isSince(statement, oldestBrowsers[name]))
  })
}

function isSince({ version_added: added, version_removed: removed, ...limits }: SimpleSupportStatement, version: string): boolean {
  const isWhole = limits.flags === undefined && limits.prefix === undefined && limits.alternative_name === undefined
  return isWhole && isUpTo(added, version) && !isUpTo(removed, version)
}

function isUpTo(added: string | false | undefined, version: string): boolean {
  if (typeof added !== 'string' || added === 'preview') return false
  const [one, other] = [added.replace('≤', ''), version].map((text) => text.split('.').map(Number))
  const [major = 0, minor = 0] = one ?? []
  const [lastMajor = 0, lastMinor = 0] = other ?? []
  return major < lastMajor || (major === lastMajor && minor <= lastMinor)
}

const objects: Readonly<Record<string, Identifier>> = { ...bcd.api, ...bcd.javascript['builtins'] }

/** Methods by their names, with whether any of those that have such a name is supported. Scripts check for what some browser still lacks today. */
const methodSupport = supportByName(
  Object.values(objects)
    .flatMap((object) => namesIn(object))
    .filter(([, feature]) => isCommon(feature)),
)

/** Whether the newest browsers of all makers have a feature. */
function isCommon({ support }: CompatStatement): boolean {
  return Object.values(browserOf).every((name) =>
    [support[name] ?? []].flat().some(({ version_added: added }) => typeof added === 'string'),
  )
}

/** The named features below a node of the data. */
function namesIn(node: Identifier): readonly (readonly [string, CompatStatement])[] {
  return nodesIn(node).flatMap(([name, { __compat: statement }]) =>
    statement === undefined || name.endsWith('_static') ? [] : [[name, statement] as const],
  )
}

function nodesIn(node: Identifier): readonly (readonly [string, Identifier])[] {
  // Holds: every other member of a node is a node.
  return Object.entries(node).flatMap(([name, below]) => (name === '__compat' ? [] : [[name, below as Identifier] as const]))
}

function supportByName(entries: readonly (readonly [string, CompatStatement])[]): ReadonlyMap<string, boolean> {
  const names = new Map<string, boolean>()
  for (const [name, feature] of entries) names.set(name, names.get(name) === true || isSupported(feature))
  return names
}

/** The features that a script uses and some browser lacks. @throws where its syntax or a regular expression is newer than the list */
export function unsupportedInScript(code: string): readonly string[] {
  const names: string[] = []
  const add = (name: string | null): void => void (name !== null && names.push(name))
  simple(parse(code, { ecmaVersion, sourceType: 'module' }), {
    Identifier: ({ name }) => add(lackingObject(name)),
    MemberExpression: ({ object, property }) => {
      if (object.type === 'Identifier' && property.type === 'Identifier') add(lackingMember(object.name, property.name))
    },
    CallExpression: ({ callee }) => {
      if (callee.type === 'MemberExpression' && !callee.computed && callee.property.type === 'Identifier')
        add(lackingMethod(callee.property.name))
    },
    NewExpression: ({ callee, arguments: [pattern, flags] }) => {
      if (callee.type === 'Identifier' && callee.name === 'RegExp') checkExpression(textOf(pattern), textOf(flags))
    },
  })
  return names
}

const textOf = (node: Node | undefined): string =>
  node?.type === 'Literal' && 'value' in node && typeof node.value === 'string' ? node.value : ''

/** @throws where a regular expression that is written as a text is newer than the list */
function checkExpression(pattern: string, flags: string): void {
  parse(`/${pattern.replaceAll('/', String.raw`\/`) || '.'}/${flags}`, { ecmaVersion })
}

function lackingObject(name: string): string | null {
  const statement = Object.hasOwn(objects, name) ? objects[name]?.__compat : undefined
  return statement === undefined || isSupported(statement) ? null : name
}

function lackingMember(owner: string, member: string): string | null {
  const own = Object.hasOwn(objects, owner) ? objects[owner] : undefined
  const known = own?.[`${member}_static`]?.__compat ?? own?.[member]?.__compat
  return known === undefined || isSupported(known) ? null : `${owner}.${member}`
}

const lackingMethod = (name: string): string | null => (methodSupport.get(name) === false ? `.${name}()` : null)

const cssNode = (name: string): Identifier => bcd.css[name] ?? {}

/** A global object, or a member of it, that a browser of the list lacks. */
export interface LackingName {
  readonly owner: string
  /** Empty = the object itself. */
  readonly member: string
  /** Whether the member is one of the object itself, and not of its prototype. */
  readonly isStatic: boolean
}

/** Everything that a script may find in the newest browser of some maker, but not in every browser of the list. */
export function lackingNames(): readonly LackingName[] {
  return Object.entries(objects).flatMap(([owner, object]) => {
    if (object.__compat !== undefined && !isSupported(object.__compat)) return [{ owner, member: '', isStatic: true }]
    return nodesIn(object).flatMap(([name, { __compat: statement }]) =>
      statement === undefined || isSupported(statement) ? [] : memberNames(owner, name),
    )
  })
}

/** The data of the web's own objects mark static members; those of the language do not. */
function memberNames(owner: string, name: string): readonly LackingName[] {
  const [member = '', mark] = name.split('_')
  const isOfLanguage = Object.hasOwn(bcd.javascript['builtins'] ?? {}, owner)
  return [true, false].flatMap((isStatic) => (isOfLanguage || isStatic === (mark === 'static') ? [{ owner, member, isStatic }] : []))
}

/** Every selector, rule and function of CSS by its name. Browsers ignore properties that they do not know, and nothing more. */
const cssFeatures: Readonly<Record<string, ReadonlyMap<string, boolean>>> = {
  selector: supportByName(namesIn(cssNode('selectors'))),
  rule: supportByName(namesIn(cssNode('at-rules'))),
  function: supportByName(deepNamesIn(cssNode('types'))),
}

function deepNamesIn(node: Identifier): readonly (readonly [string, CompatStatement])[] {
  return [...namesIn(node), ...nodesIn(node).flatMap(([, below]) => deepNamesIn(below))]
}

/** The features that a style sheet uses and some browser lacks. */
export function unsupportedInStyle(css: string): readonly string[] {
  const names: string[] = []
  const check = (kind: string, name: string, text: string): void => {
    if (cssFeatures[kind]?.get(name) === false) names.push(`css ${text}`)
  }
  walkCss(parseCss(css), (node: CssNode) => {
    if (node.type === 'PseudoClassSelector' || node.type === 'PseudoElementSelector') check('selector', node.name, `:${node.name}`)
    if (node.type === 'NestingSelector') check('selector', 'nesting', '&')
    if (node.type === 'Atrule') check('rule', node.name, `@${node.name}`)
    if (node.type === 'Function') check('function', node.name, `${node.name}()`)
  })
  return names
}

/** What the files of a build use and some browser of the list lacks. @param folder of the built console */
export function unsupportedIn(folder: string): readonly Unsupported[] {
  const uses = new Map<string, Set<string>>()
  for (const kind of ['js', 'css'] as const) {
    const place = join(folder, 'static', kind)
    const files = existsSync(place) ? readdirSync(place).filter((name) => name.endsWith(`.${kind}`)) : []
    for (const file of files) {
      const text = readFileSync(join(place, file), 'utf8')
      for (const feature of kind === 'js' ? unsupportedInScript(text) : unsupportedInStyle(text)) {
        const names = uses.get(feature) ?? new Set()
        uses.set(feature, names.add(file.replace(/-[\w-]{8}\.\w+$/, '')))
      }
    }
  }
  return [...uses]
    .map(([feature, files]) => ({ feature, files: [...files] }))
    .toSorted((one, other) => one.feature.localeCompare(other.feature))
}

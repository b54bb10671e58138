import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/async'

/** One parsed source file of the repository. */
export interface Source {
  /** From the repository's root, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly tree: SourceFile
}

const root = join(import.meta.dir, '..')

/** Folders that the rules apply to. Each rule decides itself whether it applies to tests. */
const folders = ['packages', 'apps', 'tools', 'scripts', 'bench', 'e2e']
const ignored = new Set(['node_modules', 'dist', 'fixtures', 'test-results', 'playwright-report'])

export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.startsWith('e2e/') || /^(?:packages|apps)\/[^/]+\/(?:test|attack)\//.test(path)
}

let all: Promise<readonly Source[]> | null = null

/** Every TypeScript and JavaScript file of the repository, parsed once for all tests of a run. */
export function readSources(): Promise<readonly Source[]> {
  all ??= parseAll()
  return all
}

async function parseAll(): Promise<readonly Source[]> {
  const present = folders.map((folder) => join(root, folder)).filter((folder) => existsSync(folder))
  const paths = present.flatMap(filesUnder).filter((path) => /\.(tsx?|mjs)$/.test(path))
  return await parseSources(
    Object.fromEntries(paths.map((path) => [relative(root, path).replaceAll('\\', '/'), readFileSync(path, 'utf8')])),
  )
}

/** Parses texts by path with the compiler's own parser, so that no rule guesses at syntax. Types and imports are not resolved. */
export async function parseSources(texts: Readonly<Record<string, string>>): Promise<readonly Source[]> {
  const config = '/sources/tsconfig.json'
  const options = { noResolve: true, noLib: true, types: [], allowJs: true, jsx: 'preserve', module: 'esnext', moduleDetection: 'force' }
  const files = new Map(Object.entries(texts).map(([path, text]) => [`/sources/${path}`, text]))
  files.set(config, JSON.stringify({ compilerOptions: options, files: Object.keys(texts) }))
  const api = new API({ fs: { readFile: (name) => files.get(name) ?? null, fileExists: (name) => files.has(name) } })
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [config] })
    const program = snapshot.getProject(config)?.program
    return await Promise.all(
      Object.entries(texts).map(async ([path, text]) => {
        const tree = await program?.getSourceFile(`/sources/${path}`)
        if (tree === undefined) throw new Error(`${path} could not be parsed`)
        return { path, text, tree }
      }),
    )
  } finally {
    await api.close()
  }
}

/** Calls `visit` for a node and everything below it, in the order of the text. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node)
  node.forEachChild((child) => walk(child, visit))
}

/** `path:line`, as editors and terminals understand it. */
export function placeOf({ path, text, tree }: Source, node: Node): string {
  return `${path}:${lineAt(text, node.getStart(tree)) + 1}`
}

/** Zero-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

function filesUnder(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path).filter((name) => !ignored.has(name))
  return names.sort().flatMap((name) => filesUnder(join(path, name)))
}

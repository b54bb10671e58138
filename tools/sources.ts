import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The repository's root. */
export const root = join(import.meta.dir, '..')

export interface Source {
  /** From the root, with forward slashes. */
  readonly path: string
  readonly text: string
}

const skipped = new Set(['node_modules', 'dist', 'fixtures', 'golden', 'data', '.git'])

/** Every TypeScript file below a folder; tests are left out. */
export function sourcesIn(folder: string): readonly Source[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : sourcesIn(path)
    const isSource = /\.tsx?$/.test(entry.name) && !/\.(test|suite|d)\.tsx?$/.test(entry.name)
    return isSource ? [{ path: relative(root, join(root, path)).replaceAll('\\', '/'), text: readFileSync(join(root, path), 'utf8') }] : []
  })
}

/** Sources of the product. */
export function productSources(): readonly Source[] {
  return ['packages', 'apps'].flatMap(sourcesIn)
}

/** A source without comments, with its line breaks kept. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, '')).replace(/(^|\s)\/\/.*$/gm, '$1')
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

// What a browser must fetch before it shows a page of the console, in KB after gzip.

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

type Chunks = Readonly<Record<string, Chunk>>

export interface Size {
  /** The file of a page, or what else is measured. */
  readonly name: string
  readonly kb: number
  readonly budgetKb: number
}

/** The most that each thing may take. A page over its budget usually imports something that only another needs, or needs only later. */
const budgets = {
  /** The frame around every page: it does not grow with the number of pages. */
  frame: 144,
  styles: 16,
  /** All scripts of all pages together. */
  all: 630,
  /** A page with the frame, by the name of its file; the first row that fits. */
  pages: [
    { file: /(?:list|log)-page/, kb: 199 },
    { file: /(?:form|add|edit|account|register|playground)-page|-tab/, kb: 203 },
    { file: /-page/, kb: 165 },
  ],
} as const

/** @param folder of the built console */
export function consoleSizes(folder: string): readonly Size[] {
  const chunks = chunksOf(folder)
  const sizeOf = (files: Iterable<string>): number =>
    [...new Set(files)].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file)), { level: 9 }).length / 1024, 0)
  const scriptsOf = (names: Iterable<string>) => [...names].flatMap((name) => chunks[name]?.file ?? [])
  const frame = closureOf(chunks, 'index.html')
  const pages = Object.keys(chunks).filter((name) => /-(?:page|tab)\.tsx$/.test(name))
  return [
    { name: 'frame', kb: sizeOf(scriptsOf(frame)), budgetKb: budgets.frame },
    { name: 'styles', kb: sizeOf(chunks['index.html']?.css ?? []), budgetKb: budgets.styles },
    ...pages.sort().map((name) => ({
      name,
      kb: sizeOf(scriptsOf([...frame, ...closureOf(chunks, name)])),
      budgetKb: budgets.pages.find(({ file }) => file.test(name))?.kb ?? 0,
    })),
    { name: 'all scripts', kb: sizeOf(scriptsOf(Object.keys(chunks)).filter((file) => file.endsWith('.js'))), budgetKb: budgets.all },
  ]
}

/** The pages that fetch a module before they are shown, by a part of its name. */
export function pagesWith(folder: string, module: string): readonly string[] {
  const chunks = chunksOf(folder)
  const pages = Object.keys(chunks).filter((name) => name === 'index.html' || /-(?:page|tab)\.tsx$/.test(name))
  return pages.filter((name) => [...closureOf(chunks, name)].some((other) => other.includes(module)))
}

// Holds: the build writes it in this form.
const chunksOf = (folder: string) => JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Chunks

/** A chunk and all chunks that it imports statically, directly or through others. */
function closureOf(chunks: Chunks, name: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  for (const other of chunks[name]?.imports ?? []) closureOf(chunks, other, seen)
  return seen
}

export function sizeTable(sizes: readonly Size[]): string {
  const line = ({ name, kb, budgetKb }: Size) => `${kb.toFixed(1).padStart(7)} of ${String(budgetKb).padStart(3)} KB  ${name}`
  return sizes.map(line).join('\n')
}

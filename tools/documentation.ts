import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kind } from '../packages/vendors/src/core/kind.ts'
import type { TaskKind } from '../packages/vendors/src/core/task.ts'
import type { Vendor } from '../packages/vendors/src/core/vendor.ts'
import { dialectOf } from '../packages/vendors/src/registry/dialect-of.ts'
import { vendors } from '../packages/vendors/src/registry/list.ts'
import { exampleChannel, knownModels } from '../packages/vendors/test/channel.ts'

export const root = join(import.meta.dir, '..')

/** A word in the languages of the front pages. */
interface Word {
  readonly en: string
  readonly zh: string
}

export type Language = keyof Word

/** Columns of the table. Kinds that nearly every vendor supports together share one, which stands for the first of them. */
export const columns: ReadonlyArray<Word & { readonly kinds: readonly Kind[]; readonly tasks?: TaskKind }> = [
  { en: 'Chat', zh: '对话', kinds: ['chat'] },
  { en: 'Responses', zh: 'Responses', kinds: ['responses'] },
  { en: 'Completions', zh: '补全', kinds: ['completions', 'edits'] },
  { en: 'Embeddings', zh: '向量', kinds: ['embeddings'] },
  { en: 'Rerank', zh: '重排序', kinds: ['rerank'] },
  { en: 'Moderation', zh: '审核', kinds: ['moderations'] },
  { en: 'Images', zh: '图片', kinds: ['images', 'image-edits', 'image-variations'], tasks: 'pictures' },
  { en: 'Videos', zh: '视频', kinds: [], tasks: 'videos' },
  { en: 'Music', zh: '音乐', kinds: [], tasks: 'songs' },
  { en: 'Speech', zh: '语音合成', kinds: ['speech'] },
  { en: 'Transcription', zh: '语音转写', kinds: ['transcriptions', 'translations'] },
  { en: 'Realtime', zh: '实时', kinds: ['realtime'] },
]

const heads: readonly Word[] = [
  { en: 'Type', zh: '类型' },
  { en: 'Vendor', zh: '供应商' },
]
const rawProxy: Word = { en: '(any request, forwarded unchanged)', zh: '（任何请求，原样转发）' }

/** Whether a key, and a model, of the vendor has what the column shows. */
function has(vendor: Vendor, { kinds: [main], tasks }: (typeof columns)[number]): boolean {
  if (tasks !== undefined && vendor.tasks?.[tasks] !== undefined) return true
  if (main === undefined) return false
  const used = main === 'chat' ? vendor : exampleChannel(vendor, vendor.docs?.keyOfKinds).vendor
  return [...knownModels(vendor), ''].some((model) => dialectOf(used, main, model) !== null)
}

function rowOf(vendor: Vendor, language: Language): readonly string[] {
  const name = language === 'zh' ? (vendor.nameZh ?? vendor.name) : vendor.name
  const label = vendor.rawProxy === undefined ? name : `${name} ${rawProxy[language]}`
  return [String(vendor.type), label, ...columns.map((column) => (has(vendor, column) ? '✓' : ''))]
}

/** The table of the front page: every channel type that works, and the kinds of calls that it has. */
export function vendorTable(language: Language): string {
  const head = [...heads, ...columns].map((word) => word[language])
  const rows = [head, head.map((_, index) => (index < 2 ? '---' : ':-:')), ...vendors.map((vendor) => rowOf(vendor, language))]
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const markers = /(<!-- vendors: [^\n]*-->\n)[\s\S]*?(<!-- end of vendors -->)/

/** The page with its table replaced by the current one. */
export function withVendorTable(page: string, language: Language): string {
  if (!markers.test(page)) throw new Error('the page has no place for the table of vendors')
  return page.replace(markers, `$1\n${vendorTable(language)}\n\n$2`)
}

const ignored = new Set(['node_modules', 'dist', 'test-results', 'data', '.git', 'fixtures'])

/** Paths of the repository's files whose names end so, relative to its root. */
export function filesEndingWith(end: RegExp, folder = ''): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return ignored.has(entry.name) ? [] : filesEndingWith(end, path)
    return end.test(entry.name) ? [path] : []
  })
}

/** Every Markdown page of a folder, or of the repository. */
export const pages = (folder = ''): readonly string[] => filesEndingWith(/\.md$/, folder)

const fenced = /^( *)```[\s\S]*?^\1```/gm

export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** Addresses that a page links to, except those in code. */
export function linksOf(text: string): readonly string[] {
  return [...text.replaceAll(fenced, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, address = '']) => address)
}

/** Names of a page's headings, as links write them after `#`. */
export function anchorsOf(text: string): readonly string[] {
  return [...text.replaceAll(fenced, '').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readJson } from './files.ts'

const folder = join(import.meta.dir, '../src/vendors')

/**
 * The files of one name in the folders of vendors, by channel type: `golden` is `golden.json` beside `vendor.ts`, or `golden-<type>.json` where a
 * folder has several vendors.
 */
export function vendorFiles(name: string): ReadonlyArray<readonly [type: number, content: unknown]> {
  const form = new RegExp(`^${name}(?:-(\\d+))?\\.json$`)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .flatMap((path) => {
      const match = form.exec(basename(path))
      return match === null ? [] : [[Number(match[1] ?? typeOf(path)), readJson(join(folder, path))] as const]
    })
    .sort(([one], [other]) => one - other)
}

/** The type in the record of the folder that a file lies in. */
function typeOf(path: string): string {
  const own = dirname(path).replace(/(?:^|\/)fixtures$/, '')
  const [, type] = /\btype: (\d+),/.exec(readFileSync(join(folder, own, 'vendor.ts'), 'utf8')) ?? []
  if (type === undefined) throw new Error(`${path} has no record beside it`)
  return type
}

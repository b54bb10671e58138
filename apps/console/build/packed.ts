import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { Plugin } from 'vite'

// Texts are packed here once, instead of by the server at the first request. The server then holds only the packed bytes: a quarter of the
// memory.

/** Images and fonts are packed already, and smaller files gain nothing. */
const texts = /\.(?:js|css|svg|json)$/
const packedFrom = 1_024

/** Writes a file `NAME.br` (Brotli) beside each text of the build. */
export function packed(): Plugin {
  return {
    name: 'packed',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const entries = await readdir(dir, { recursive: true, withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile() && texts.test(entry.name)).map((entry) => join(entry.parentPath, entry.name))
      await Promise.all(files.map(pack))
    },
  }
}

async function pack(file: string): Promise<void> {
  const bytes = await readFile(file)
  if (bytes.length < packedFrom) return
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
}

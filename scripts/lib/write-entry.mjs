import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { consoleFolder } from './console.mjs'
import { root } from './run.mjs'

/** Where generated modules and the executable go; ignored by git. */
const outFolder = join(root, 'dist')

/**
 * Writes the executable's first module. Bun embeds what is imported with `type: 'file'`; the console's files are put where
 * `apps/server/src/embedded-console.ts` looks for them before the server's own modules run.
 * @returns {string} its path
 */
export function writeEntry() {
  mkdirSync(outFolder, { recursive: true })
  const entry = join(outFolder, 'sluice.ts')
  writeFileSync(join(outFolder, 'console-files.ts'), consoleFilesModule())
  writeFileSync(entry, `import './console-files.ts'\nimport '../apps/server/src/main.ts'\n`)
  return entry
}

/** Modules that the server starts as threads: the bundler cannot see them, so they are named to it. */
export function workerModules() {
  const source = join(root, 'apps/server/src')
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('-worker.ts'))
    .map((name) => join(source, name))
}

function consoleFilesModule() {
  const files = readdirSync(consoleFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const imports = files.map((file, index) => `import file${index} from ${JSON.stringify(portable(outFolder, file))} with { type: 'file' }`)
  const rows = files.map((file, index) => `  ${JSON.stringify(`/${portable(consoleFolder, file)}`)}: file${index},`)
  return `${imports.join('\n')}\n\nglobalThis.sluiceConsoleFiles = {\n${rows.join('\n')}\n}\n`
}

function portable(from, to) {
  return relative(from, to).replaceAll('\\', '/')
}

import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { consoleFolder } from './console.mjs'
import { root } from './run.mjs'

/** Where generated modules and the executable go; ignored by git. */
const outFolder = join(root, 'dist')

/**
 * Writes the executable's own modules. Bun embeds what is imported with `type: 'file'`; the console's files are put where
 * `apps/server/src/embedded-console.ts` looks for them before the server's own modules run.
 * @returns the modules to compile, the first of which is the one that is started
 */
export function writeEntries() {
  mkdirSync(outFolder, { recursive: true })
  writeFileSync(join(outFolder, 'console-files.ts'), consoleFilesModule())
  writeFileSync(join(outFolder, 'sluice.ts'), `import './console-files.ts'\nimport '../apps/server/src/main.ts'\n`)
  return [join(outFolder, 'sluice.ts'), ...workerModules().map(writeWorkerEntry)]
}

/** Modules that the server starts as threads: the bundler cannot see them, so they are named to it. */
function workerModules() {
  const source = join(root, 'apps/server/src')
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('-worker.ts'))
  return names.map((name) => join(source, name))
}

/** In the executable every module has the same address, so `new URL('./x-worker.ts', import.meta.url)` means one beside the entry. */
function writeWorkerEntry(module) {
  const entry = join(outFolder, basename(module))
  writeFileSync(entry, `import ${JSON.stringify(portable(outFolder, module))}\n`)
  return entry
}

/** The console's files by their addresses; names that begin with a dot are the build's own notes. */
function consoleFilesModule() {
  const files = readdirSync(consoleFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/(?:^|[\\/])\./.test(name))
    .map((name) => join(consoleFolder, name))
    .filter((path) => statSync(path).isFile())
    .sort()
  const imports = files.map((file, index) => `import file${index} from ${JSON.stringify(portable(outFolder, file))} with { type: 'file' }`)
  const rows = files.map((file, index) => `  ${JSON.stringify(`/${portable(consoleFolder, file)}`)}: file${index},`)
  return `${imports.join('\n')}\n\nglobalThis.sluiceConsoleFiles = {\n${rows.join('\n')}\n}\n`
}

function portable(from, to) {
  return relative(from, to).replaceAll('\\', '/')
}

import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { consoleFolder } from './console.mjs'
import { root } from './run.mjs'
import { modulesEndingIn } from './started-modules.mjs'

/** Folder of generated modules and the executable; ignored by git. */
const outFolder = join(root, 'dist')

/**
 * Writes the modules that only the executable has. Bun embeds files that are imported with `type: 'file'`. The generated entry registers
 * the console's files for `apps/server/src/embedded-console.ts` before the server's own modules run.
 * @returns the modules to compile; the first is the entry
 */
export function writeEntries() {
  mkdirSync(outFolder, { recursive: true })
  writeFileSync(join(outFolder, 'console-files.ts'), consoleFilesModule())
  writeFileSync(join(outFolder, 'sluice.ts'), `import './console-files.ts'\nimport '../apps/server/src/main.ts'\n`)
  return [join(outFolder, 'sluice.ts'), ...modulesEndingIn('-worker.ts').map(writeWorkerEntry)]
}

/** All modules of the executable have one URL, so `new URL('./x-worker.ts', import.meta.url)` is a module next to the entry. */
function writeWorkerEntry(module) {
  const entry = join(outFolder, basename(module))
  writeFileSync(entry, `import ${JSON.stringify(portable(outFolder, module))}\n`)
  return entry
}

/**
 * The console's files by their URL paths, without files of the build itself, whose names begin with a dot, and without those of which a
 * packed form `NAME.br` is there.
 */
function consoleFilesModule() {
  const names = readdirSync(consoleFolder, { recursive: true, encoding: 'utf8' })
  const files = names
    .filter((name) => !/(?:^|[\\/])\./.test(name) && !names.includes(`${name}.br`))
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

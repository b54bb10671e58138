import { statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { buildConsole } from './lib/console.mjs'
import { findBun, installMissing } from './lib/install.mjs'
import { fail, root, runThrough } from './lib/run.mjs'
import { checkWords } from './lib/usage.mjs'
import { writeEntries } from './lib/write-entry.mjs'

checkWords(
  `Usage: npm run build

Builds the console, then one executable, dist/sluice, that contains it.`,
  () => false,
)
installMissing()
const bun = findBun()
await buildConsole(bun)
const executable = join(root, process.platform === 'win32' ? 'dist/sluice.exe' : 'dist/sluice')
// Otherwise the executable runs and reads what it finds in the folder that it is started in.
const alone = ['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig']
const code = runThrough(bun, ['build', '--compile', '--minify', ...alone, `--outfile=${executable}`, ...writeEntries()])
if (code !== 0) fail('The executable could not be built; the message above says why.')
console.log(`${relative(root, executable)} (${(statSync(executable).size / 1024 / 1024).toFixed(1)} MB)`)

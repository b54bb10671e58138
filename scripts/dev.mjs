import { join } from 'node:path'
import { findBun, installMissing } from './lib/install.mjs'
import { root, runTogether } from './lib/run.mjs'
import { server } from './lib/serve.mjs'
import { checkWords } from './lib/usage.mjs'

checkWords(
  `Usage: npm run dev

Starts the server on port 3000 and the console on port 5173, both reloading when their sources change.`,
  () => false,
)
installMissing()
const bun = findBun()
const { program, args, env } = server(bun, { flags: ['--watch', '--no-clear-screen'] })
const vite = join(root, 'node_modules/vite/bin/vite.js')
console.log(`Open http://localhost:5173${process.env.BASE_PATH ?? ''}`)
process.exit(
  await runTogether([
    // The console's development server forwards calls to this port, whatever PORT says.
    { program, args, env: { ...env, PORT: '3000' } },
    { program: bun, args: ['--no-orphans', vite, '--strictPort', '--clearScreen', 'false'], cwd: join(root, 'apps/console') },
  ]),
)

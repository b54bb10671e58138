import { buildConsole } from './lib/console.mjs'
import { findBun, installMissing } from './lib/install.mjs'
import { runTogether } from './lib/run.mjs'
import { server } from './lib/serve.mjs'

// `npm start`: installs missing packages, builds the console if its sources changed, and starts the server.

installMissing()
const bun = findBun()
await buildConsole(bun)
process.exit(await runTogether([server(bun, { args: process.argv.slice(2) })]))

import { bundledServer, bundleServer } from './lib/bundle-server.mjs'
import { buildConsole } from './lib/console.mjs'
import { findBun, installMissing } from './lib/install.mjs'
import { runTogether } from './lib/run.mjs'
import { server } from './lib/serve.mjs'

// `npm start`: installs missing packages, builds console and server if their sources changed, and starts the server.

installMissing()
const bun = findBun()
await buildConsole(bun)
bundleServer(bun)
process.exit(await runTogether([server(bun, { module: bundledServer, args: process.argv.slice(2) })]))

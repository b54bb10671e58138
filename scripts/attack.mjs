import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'

// `npm run attack [-- WORDS]`: what one client may do to a server, first to one with nothing behind it, then to the gateway. With words: only
// attacks whose names hold them. Memory and waits are measured, so it needs Linux and some quiet.

installMissing()
const words = process.argv.slice(2)
const runs = ['packages/http1/attack/run.ts', 'apps/server/test/run-attack.ts']
const codes = runs.map((path) => {
  console.log(path)
  return runThrough(findBun(), ['--no-orphans', path, ...words])
})
process.exit(codes.every((code) => code === 0) ? 0 : 1)

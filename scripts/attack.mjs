import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'
import { checkWords } from './lib/usage.mjs'

checkWords(`Usage: npm run attack [-- WORDS]

Attacks of one client, first on a bare HTTP server, then on the gateway. With words, only attacks whose names contain them. Measures memory
and latency, so it needs Linux and an idle machine.`)
installMissing()
const words = process.argv.slice(2)
const runs = ['packages/http1/attack/run.ts', 'apps/server/test/run-attack.ts']
const codes = runs.map((path) => {
  console.log(path)
  return runThrough(findBun(), ['--no-orphans', path, ...words])
})
process.exit(codes.every((code) => code === 0) ? 0 : 1)

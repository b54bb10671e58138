import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'

// `npm run migrate-store -- --from sqlite:PATH --to postgres://...`, or the other way: moves an installation between engines.

installMissing()
process.exit(runThrough(findBun(), ['apps/server/src/main.ts', 'migrate-store', ...process.argv.slice(2)]))

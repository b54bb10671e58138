import { runBackUp } from './run-back-up.ts'

// The program of a backup when the server runs from its sources; `scheduled-backups.ts` starts it.
const [path = '', copy = ''] = process.argv.slice(2)
process.exit(runBackUp(path, copy))

import { serveReads } from './serve-reads.ts'

// The program of a reading process when the server runs from its sources; `read-processes.ts` starts it.
const [path = ''] = process.argv.slice(2)
serveReads(path)

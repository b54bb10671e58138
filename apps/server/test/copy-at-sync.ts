import { plugin } from 'bun'

// Preloaded, it keeps the files of the database as a power failure would leave them: as they were when the last sync that has ended began.
// Nothing is synced but what somebody waits for.

/** The name of the copy beside the database. */
export const syncedName = 'synced.db'

const fs = "import { copyFileSync, renameSync } from 'node:fs'\n"
const copy = `
  const base = path.slice(0, -'-wal'.length)
  const kept = base.replace(/[^/\\\\]*$/, '${syncedName}')
  copyFileSync(base, kept + '.part')
  copyFileSync(path, kept + '.part-wal')
  await handle.datasync()
  renameSync(kept + '.part', kept)
  renameSync(kept + '.part-wal', kept + '-wal')
`

plugin({
  name: 'copy at sync',
  setup(build) {
    build.onLoad({ filter: /[\\/]db[\\/]wal-sync\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      const contents = fs + text.replace('await handle.datasync()', copy).replace('usageSyncMs = 50', 'usageSyncMs = 3_600_000')
      return { loader: 'ts', contents }
    })
  },
})

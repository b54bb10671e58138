import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storePlace } from '../src/db/store-place.ts'
import { createTestDatabase } from './stores.ts'

/** The database and folder of a server process, which remain when it is killed. */
export interface ServerPlace {
  /** Place of the database. */
  readonly place: string
  readonly accessToken: string
  /** Environment variables of each start. */
  readonly variables: Readonly<Record<string, string>>
  remove(): Promise<void>
}

/** @param name of the test, for its folder */
export async function createServerPlace(name: string): Promise<ServerPlace> {
  const folder = mkdtempSync(join(tmpdir(), `sluice-${name}-`))
  const database = await createTestDatabase()
  const accessToken = name.padEnd(40, 'x')
  return {
    place: storePlace({ databaseUrl: database.url, dataDir: folder }),
    accessToken,
    variables: {
      DATA_DIR: folder,
      // Stays equal after a restart, as the port of a real server does.
      NODE_ID: name,
      DATABASE_URL: database.url,
      INITIAL_ROOT_PASSWORD: 'a root password',
      INITIAL_ROOT_ACCESS_TOKEN: accessToken,
    },
    async remove() {
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

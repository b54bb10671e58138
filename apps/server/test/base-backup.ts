import { chmodSync, cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { SQL } from 'bun'
import { handOver } from './database-host.ts'

/** What the copy must not have: the server's process, and what is made anew or comes over the connection. */
const left = /^postmaster\.|^(?:pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_stat_tmp|pg_subtrans|pg_snapshots|pg_serial)\/./

/** Copies the files of a running PostgreSQL server, so that another one can start on them as its standby. */
export async function copyRunning(address: string, data: string): Promise<void> {
  const line = new SQL(address, { max: 1 })
  const [{ data_directory: from }] = await line.unsafe('SHOW data_directory')
  await line.unsafe("SELECT pg_backup_start('standby', true)")
  cpSync(from, data, { recursive: true, filter: (path) => !left.test(relative(from, path)) })
  const [{ labelfile }] = await line.unsafe('SELECT labelfile FROM pg_backup_stop(false)')
  await line.close()
  writeFileSync(join(data, 'backup_label'), labelfile)
  writeFileSync(join(data, 'standby.signal'), '')
  chmodSync(data, 0o700)
  handOver([data, ...readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => join(data, name))])
}

import { SQL } from 'bun'
import { startHost } from './database-process.ts'

/** A server of MariaDB or MySQL that the tests read from. */
export interface MysqlServer {
  /** Makes an empty database, and somebody who may use it with a password. @returns its address */
  createDatabase(): Promise<string>
  stop(): Promise<void>
}

/** What a password may have in it, and an address must write differently. */
const password = 'p@ss:w/rd'

export async function startMysql(): Promise<MysqlServer> {
  const { address, stop } = await startHost('mysql-host.ts')
  const admin = new SQL(address, { max: 1 })
  await admin.unsafe(`CREATE USER 'gateway'@'%' IDENTIFIED BY '${password}'`)
  await admin.unsafe("GRANT ALL ON *.* TO 'gateway'@'%'")
  let made = 0
  return {
    async createDatabase() {
      made += 1
      await admin.unsafe(`CREATE DATABASE gateway_${made} CHARACTER SET utf8mb4`)
      return Object.assign(new URL(address), { username: 'gateway', password, pathname: `/gateway_${made}` }).href
    },
    async stop() {
      await admin.close()
      await stop()
    },
  }
}

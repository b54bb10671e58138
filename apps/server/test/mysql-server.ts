import { SQL } from 'bun'
import { startHost } from './database-process.ts'

/** A MariaDB or MySQL server from which the tests import. */
export interface MysqlServer {
  /** Creates an empty database and a user with a password. @returns its address */
  createDatabase(): Promise<string>
  stop(): Promise<void>
}

/** Contains characters that must be escaped in an address. */
const password = 'p@ss:w/rd'

export async function startMysql(): Promise<MysqlServer> {
  const { address, stop } = await startHost('mysql-host.ts')
  const admin = new SQL(address, { max: 1 })
  await admin.unsafe(`CREATE USER 'gateway'@'%' IDENTIFIED BY '${password}'`)
  await admin.unsafe("GRANT ALL ON *.* TO 'gateway'@'%'")
  let count = 0
  return {
    async createDatabase() {
      count += 1
      await admin.unsafe(`CREATE DATABASE gateway_${count} CHARACTER SET utf8mb4`)
      return Object.assign(new URL(address), { username: 'gateway', password, pathname: `/gateway_${count}` }).href
    },
    async stop() {
      await admin.close()
      await stop()
    },
  }
}

import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { freePort } from '@sluice/http1/http-server'
import { walBytes } from '../db/explain-sqlite.ts'
import type { Env } from '../env.ts'
import { isHealthy } from '../healthcheck.ts'
import { assertUsable, explainRefusal } from '../lib/data-folder.ts'
import { noFailpoints } from '../lib/failpoints.ts'
import { ownAddresses } from '../lib/own-addresses.ts'
import { openSpools } from '../lib/spool.ts'
import { check, type ReportFinding } from './finding.ts'

interface Machine {
  /** A server responds at its address. */
  readonly isRunning: boolean
  /** This process may use the data folder. */
  readonly isFolderUsable: boolean
}

/** Checks folders, free disk space and the port of this machine. */
export async function checkMachine(env: Env, report: ReportFinding): Promise<Machine> {
  const folder = await check('data folder', () => usableFolder(env.dataDir))
  report(folder)
  const { backups } = env
  if (backups !== null) report(await check('backups', () => writableFolder(backups.folder, 'BACKUP_DIR', 'backup')))
  report(await check('temporary files', () => temporaryFolder(env)))
  report(await check('free disk', () => freeRoom(env)))
  const isRunning = env.port !== 0 && (await isHealthy(env))
  report(await check('address', () => (isRunning ? `a server is running at ${ownAddresses(env)[0]}` : freeAddress(env))))
  return { isRunning, isFolderUsable: folder.is === 'ok' }
}

function usableFolder(dataDir: string): string {
  assertUsable(dataDir)
  return writableFolder(dataDir, 'DATA_DIR', 'start')
}

/** @param maker what makes the folder where it is missing. @throws Error that says why it cannot be used */
function writableFolder(folder: string, variable: string, maker: string): string {
  const isThere = existsSync(folder)
  if (isThere && !statSync(folder).isDirectory()) throw new Error(`${variable} is ${folder}, which is not a folder: set it to a folder`)
  try {
    accessSync(nearestFolder(resolve(folder)), constants.W_OK | constants.X_OK)
  } catch (cause) {
    const refusal = explainRefusal(
      Object.assign(cause instanceof Error ? cause : new Error(String(cause)), { path: folder, syscall: 'mkdir' }),
    )
    const problem = isThere ? 'cannot be used' : 'does not exist and cannot be created'
    throw new Error(`the folder ${resolve(folder)} (${variable}) ${problem}: ${refusal ?? String(cause)}`, { cause })
  }
  return isThere ? `${resolve(folder)} can be used` : `${resolve(folder)} does not exist yet; the first ${maker} creates it`
}

/** The folder itself, or the first above it that exists. */
const nearestFolder = (path: string): string => (existsSync(path) ? path : nearestFolder(dirname(path)))

async function temporaryFolder({ temporaryDir, dataDir }: Env): Promise<string> {
  const problems: string[] = []
  // A folder that does not exist yet takes files once the start has made it.
  const folders = [temporaryDir, ...(existsSync(dataDir) ? [dataDir] : [])]
  await openSpools({ reached: noFailpoints, folders, report: (problem) => problems.push(problem) })
  if (problems.length > 0) throw new Error(problems.join('; '))
  return `${temporaryDir} is writable`
}

const megabytes = (bytes: number): string => `${Math.floor(bytes / 1_000_000)} MB`

function freeRoom({ dataDir, databaseUrl, reserveBytes }: Env): string {
  const folder = nearestFolder(resolve(dataDir))
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const hasReserve = existsSync(join(dataDir, 'sluice.db.reserve'))
  const needed = databaseUrl === '' ? walBytes + (hasReserve ? 0 : reserveBytes) : 0
  if (free < needed) throw new Error(`${megabytes(free)} free in ${folder}, ${megabytes(needed)} needed: free up disk space`)
  return `${megabytes(free)} free in ${folder}`
}

function freeAddress({ host, port }: Env): string {
  const free = freePort(host, port)
  return port === 0 ? `PORT=0: any free port, such as ${free}` : `${host}:${port} is free; no server is running there`
}

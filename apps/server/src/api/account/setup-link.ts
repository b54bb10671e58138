import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { withoutTrailingSlashes } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { ownAddresses } from '../../lib/own-addresses.ts'
import { writeSecretFile } from '../../lib/secret-file.ts'
import { saveSetupLink } from './setup-queries.ts'

/** In the data folder while the link is valid. */
const fileName = 'setup-link'

/** Path of the console's page. The secret is behind `#`, so that browsers send it to no server and it is in no log of a proxy. */
const pagePath = '/setup#'

const secretBytes = 32

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Makes the link of an account, and ends its earlier one. @returns the secret of the link */
export async function makeSetupLink(db: Db, userId: number, clock: Clock): Promise<string> {
  const secret = randomBytes(secretBytes).toString('base64url')
  await saveSetupLink(db, { userId, secretHash: hashOf(secret).toString('hex'), now: nowSeconds(clock) })
  return secret
}

/** Compares in constant time. @param stored the hash; `undefined` = there is no link */
export function isSecretOf(stored: string | undefined, secret: string): boolean {
  const expected = Buffer.from(stored ?? '', 'hex')
  const actual = hashOf(secret)
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

export const setupFile = (dataDir: string): string => join(dataDir, fileName)

/** @param addresses at which the console can be opened; none = they are not known yet */
export function writeSetupFile(dataDir: string, secret: string, addresses: readonly string[]): void {
  writeSecretFile(setupFile(dataDir), setupLinks(secret, addresses.length === 0 ? [''] : addresses).join('\n'))
}

export function removeSetupFile(dataDir: string): void {
  rmSync(setupFile(dataDir), { force: true })
}

/** The secret in the file; empty = there is none, or it cannot be read. */
export function readSetupFile(dataDir: string): string {
  try {
    return readFileSync(setupFile(dataDir), 'utf8').split('#')[1]?.split('\n')[0] ?? ''
  } catch {
    return ''
  }
}

interface SetupAddresses {
  /** The public address of the server; empty = none. */
  readonly address: string
  readonly consoleOrigins: readonly string[]
  readonly host: string
  readonly port: number
  /** Path below which a proxy publishes the server; empty = the root. */
  readonly basePath: string
}

/** Where the page of the link is: at the configured address, or else at those of the machine. */
export function setupAddresses({ address, consoleOrigins, host, port, basePath }: SetupAddresses): readonly string[] {
  const configured = address || consoleOrigins[0]
  return configured === undefined ? ownAddresses({ host, port }).map((own) => `${own}${basePath}`) : [withoutTrailingSlashes(configured)]
}

/** What to open, at each of the addresses. */
export function setupLinks(secret: string, addresses: readonly string[]): readonly string[] {
  return addresses.map((address) => `${address}${pagePath}${secret}`)
}

import { existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backUpSqlite, restoreSqlite } from '../db/back-up.ts'
import { openForReading } from '../db/open-beside.ts'
import { isPostgres, isThere, placeLabel, storePlace } from '../db/store-place.ts'
import type { Env } from '../env.ts'
import { failByCommand } from '../lib/failpoints.ts'
import { masterKeyPath, readMasterKey } from '../lib/master-key.ts'
import { copyToPrivateFile, makePrivateFolder } from '../lib/private-file.ts'
import { createSeal } from '../lib/seal.ts'
import { fingerprintOf } from './open-seal.ts'
import { readCopiedKey } from './queries.ts'

const databaseName = 'sluice.db'
const keyName = 'secret.key'

const forPostgres = 'this installation uses PostgreSQL: use pg_dump and pg_restore, which work while it runs'

/** @returns what was done, in sentences. @throws when it failed */
export function backUp(env: Env, folder: string, withKey: boolean): readonly string[] {
  const place = storePlace(env)
  if (isPostgres(place)) throw new Error(forPostgres)
  if (!isThere(place)) throw new Error(`no database found at ${placeLabel(place)}`)
  makePrivateFolder(folder)
  const copy = join(folder, databaseName)
  backUpSqlite(place, copy)
  return [`${copy} holds the database as it was when the copy began.`, keySentence(env, folder, withKey)]
}

function keySentence({ secret, dataDir }: Env, folder: string, withKey: boolean): string {
  if (secret !== '') return 'The master key is in SLUICE_SECRET and is not copied. Keep it: without it, stored keys cannot be read.'
  if (!withKey)
    return `The master key ${masterKeyPath(dataDir)} is not in it. Keep a separate copy of it, or add --with-key: without it, stored keys cannot be read.`
  const copy = join(folder, keyName)
  if (existsSync(copy)) throw new Error(`${copy} already exists`)
  copyToPrivateFile(masterKeyPath(dataDir), copy)
  return `${copy} contains the master key: anyone who has both can read every stored key.`
}

/**
 * Replaces the database with a copy. No server may use it.
 * @param from the folder of a copy, or the file of a scheduled backup
 * @throws when it failed
 */
export async function restore(env: Env, from: string, withKey: boolean): Promise<readonly string[]> {
  const place = storePlace(env)
  if (isPostgres(place)) throw new Error(forPostgres)
  const isFile = statSync(from, { throwIfNoEntry: false })?.isFile() === true
  const folder = isFile ? dirname(from) : from
  const copy = isFile ? from : join(folder, databaseName)
  if (!existsSync(copy)) throw new Error(`there is no ${copy}`)
  if (withKey && env.secret !== '')
    throw new Error('the master key comes from SLUICE_SECRET: set it to the key of the copy, and leave --with-key out')
  const fits = await fitsKey(copy, (derivation) => (withKey ? readFile(join(folder, keyName)) : readMasterKey(env, derivation)))
  if (!fits)
    throw new Error(
      `${copy} is encrypted with another master key; restore that key as well: with --with-key if it is in ${folder}, or as SLUICE_SECRET`,
    )
  makePrivateFolder(env.dataDir)
  const isKept = isThere(place)
  const keySentences: string[] = []
  restoreSqlite(copy, place, {
    reached: failByCommand(env.failAt),
    // The key before the database, so that a second try after a crash still finds the original database.
    beforeSwap: () => void (withKey && keySentences.push(putKey(env, join(folder, keyName)))),
  })
  return [
    `${place} is the database of ${from} now.`,
    ...(isKept ? [`What was there is kept as ${place}.before-restore.`] : []),
    ...keySentences,
  ]
}

/** Whether the copy is sealed with a key, which is derived as the copy says. A copy of an old version without a fingerprint is accepted. */
async function fitsKey(copy: string, keyOf: (derivation: string) => Uint8Array | Promise<Uint8Array | null>): Promise<boolean> {
  const { db, close } = openForReading(copy)
  try {
    const stored = await readCopiedKey(db)
    if (stored === null) return true
    const key = await keyOf(stored.derivation)
    return key !== null && stored.fingerprint === fingerprintOf(createSeal(key))
  } finally {
    await close()
  }
}

function readFile(path: string): Uint8Array {
  if (!existsSync(path)) throw new Error(`there is no ${path}`)
  return Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
}

/** The old key is kept beside it. */
function putKey({ dataDir }: Env, copy: string): string {
  const path = masterKeyPath(dataDir)
  const text = readFileSync(copy, 'utf8')
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return 'The master key was the same.'
  if (existsSync(path)) renameSync(path, `${path}.before-restore`)
  rmSync(`${path}.part`, { force: true })
  copyToPrivateFile(copy, `${path}.part`)
  renameSync(`${path}.part`, path)
  return `${path} is the master key of ${copy} now.`
}

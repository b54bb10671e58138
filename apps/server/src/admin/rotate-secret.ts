import { optionKeys, options } from '@sluice/contract'
import { deleteSystemToken } from '../api/access-queries.ts'
import type { Db } from '../db/connect.ts'
import { resealOperation } from '../ledger/set-aside.ts'
import type { Reached } from '../lib/failpoints.ts'
import { type MasterKeyPlace, makeNextMasterKey, promoteMasterKey, readMasterKey, readNextMasterKey } from '../lib/master-key.ts'
import type { Seal } from '../lib/seal.ts'
import { fingerprintOf, sealOf } from './open-seal.ts'
import {
  countPersonalTokens,
  dropEncryptedTexts,
  dropHashedCredentials,
  dropShortLived,
  listAccessTokens,
  listAppSecrets,
  listChannelSecrets,
  listItems,
  listKeys,
  listRecoveryCodeOwners,
  listTaskAsides,
  listTaskContents,
  listTaskTexts,
  listWebhooks,
  readAsideOperation,
  readOption,
  readStoredKey,
  readTaskContent,
  renameKeptResponses,
  saveAccessToken,
  saveAppSecret,
  saveAsideOperation,
  saveChannelSecrets,
  saveItem,
  saveKey,
  saveSealedOption,
  saveStoredKey,
  saveTaskContent,
  saveTaskTexts,
  saveWebhook,
} from './queries.ts'

interface Rotation {
  readonly db: Db
  readonly place: MasterKeyPlace
  /** The access token from the environment, which is known in plain text. */
  readonly initialAccessToken: string
  readonly reached: Reached
  /** Called before anything is changed. `false` = do not go on. */
  readonly confirm: (ending: EndingCredentials) => Promise<boolean>
}

/** What cannot be converted to another master key, because only hashes are stored. */
export interface EndingCredentials {
  /** Usernames, in the order of their ids. */
  readonly systemTokensOf: readonly string[]
  /** The token of the environment is in force, and stays so. */
  readonly keepsInitialToken: boolean
  readonly personalTokens: number
  /** Usernames, in the order of their ids. */
  readonly recoveryCodesOf: readonly string[]
}

type Outcome =
  | { readonly is: 'rotated'; readonly unreadable: number }
  | { readonly is: 'already' }
  | { readonly is: 'declined' }
  | { readonly is: 'refused'; readonly reason: string }

const pageRows = 500

const noNextKey: Outcome = { is: 'refused', reason: 'the master key comes from SLUICE_SECRET: give the new one as SLUICE_SECRET_NEXT' }

/**
 * Seals everything with a new master key. The new key is on the disk before it is used; one transaction seals everything and stores the
 * fingerprint of the new key; then the new key replaces the old one. If the process dies before the commit, nothing has changed; after it,
 * the next start or try finds the key that fits and completes the rotation.
 */
export async function rotateSecret({ db, place, initialAccessToken, reached, confirm }: Rotation): Promise<Outcome> {
  const { fingerprint: stored, derivation } = (await readStoredKey(db)) ?? { fingerprint: '', derivation: '' }
  const key = await readMasterKey(place, derivation)
  const rotated = await readNextMasterKey(place, derivation)
  if (rotated !== null && stored === fingerprintOf(sealOf(rotated, derivation))) {
    promoteMasterKey(place)
    return { is: 'already' }
  }
  // A key that is derived as in the first versions is derived anew from the same variable.
  if (place.secret !== '' && place.nextSecret === '' && derivation !== '') return noNextKey
  if (key === null) return { is: 'refused', reason: 'the master key is missing: put it back, or run `admin reset-secret` if it is lost' }
  const before = sealOf(key, derivation)
  if (stored !== '' && stored !== fingerprintOf(before))
    return { is: 'refused', reason: 'the database is encrypted with another master key than the one found here' }
  if (!(await confirm(await readEnding(db, before, initialAccessToken)))) return { is: 'declined' }
  const next = await makeNextMasterKey(place, derivation)
  if (next === null) return noNextKey
  reached('next-key-written')
  const after = sealOf(next.key, next.derivation)
  const unreadable = await db.transaction().execute(async (trx) => {
    const seals = { before, after }
    let failed = await sealKeysAnew(trx, { ...seals, table: 'tokens', purpose: 'token' })
    failed += await sealKeysAnew(trx, { ...seals, table: 'redemptions', purpose: 'redemption' })
    reached('resealing')
    failed += await sealChannelsAnew(trx, seals)
    failed += await sealOptionsAnew(trx, seals)
    failed += await sealItemsAnew(trx, seals)
    failed += await sealTasksAnew(trx, seals)
    failed += await sealContentsAnew(trx, seals)
    failed += await sealAsidesAnew(trx, seals)
    failed += await sealAppSecretsAnew(trx, seals)
    failed += await sealWebhooksAnew(trx, seals)
    await dropHashedCredentials(trx)
    await dropAccessTokens(trx, { ...seals, known: initialAccessToken })
    await dropShortLived(trx)
    await saveStoredKey(trx, { fingerprint: fingerprintOf(after), derivation: next.derivation })
    return failed
  })
  reached('resealed')
  promoteMasterKey(place)
  return { is: 'rotated', unreadable }
}

interface Seals {
  readonly before: Seal
  readonly after: Seal
}

/** `null` = it cannot be opened, so it stays as it is, and must be entered again. */
function open(seal: Seal, sealed: string, purpose: string): string | null {
  try {
    return seal.open(sealed, purpose)
  } catch {
    return null
  }
}

/** @returns how many could not be opened */
async function sealKeysAnew(
  db: Db,
  { table, purpose, before, after }: Seals & { readonly table: 'tokens' | 'redemptions'; readonly purpose: string },
): Promise<number> {
  let unreadable = 0
  for (let last = 0; ; ) {
    const rows = await listKeys(db, table, { after: last, limit: pageRows })
    for (const { id, key_lookup, key_sealed } of rows) {
      const key = open(before, key_sealed, `${purpose}:${key_lookup}`)
      if (key === null) {
        unreadable += 1
        continue
      }
      const lookup = after.lookup(key, purpose)
      await saveKey(db, table, { id, key_lookup: lookup, key_sealed: after.seal(key, `${purpose}:${lookup}`) })
    }
    last = rows.at(-1)?.id ?? 0
    if (rows.length < pageRows) return unreadable
  }
}

/** Seals columns anew. One that is empty or cannot be opened stays as it is; the latter are counted. */
function createResealer({ before, after }: Seals) {
  let unreadable = 0
  return {
    anew(sealed: string, purpose: string | ((seal: Seal) => string)): string {
      const of = (seal: Seal): string => (typeof purpose === 'string' ? purpose : purpose(seal))
      const text = sealed === '' ? '' : open(before, sealed, of(before))
      if (text === null) unreadable += 1
      return text === null || sealed === '' ? sealed : after.seal(text, of(after))
    },
    unreadable: () => unreadable,
  }
}

/** @returns number of values that could not be opened */
async function sealChannelsAnew(db: Db, { before, after }: Seals): Promise<number> {
  const { anew, unreadable } = createResealer({ before, after })
  for (let last = 0; ; ) {
    const rows = await listChannelSecrets(db, { after: last, limit: pageRows })
    for (const { id, key_sealed, config_sealed, settings_sealed } of rows) {
      const keyPurpose = (seal: Seal): string => seal.rowPurpose('channel-key', id)
      await saveChannelSecrets(db, {
        id,
        key_sealed: anew(key_sealed, keyPurpose),
        config_sealed: anew(config_sealed, 'channel-config'),
        settings_sealed: anew(settings_sealed, 'channel-settings'),
      })
      const key = open(before, key_sealed, keyPurpose(before))
      if (key === null) continue
      await renameKeptResponses(db, { channelId: id, from: before.lookup(key, 'kept-answer'), to: after.lookup(key, 'kept-answer') })
    }
    last = rows.at(-1)?.id ?? 0
    if (rows.length < pageRows) return unreadable()
  }
}

/** @returns how many could not be opened */
async function sealOptionsAnew(db: Db, { before, after }: Seals): Promise<number> {
  let unreadable = 0
  for (const key of optionKeys.filter((name) => options[name].secret)) {
    const stored = await readOption(db, key)
    const text = stored === null ? null : open(before, stored, `option:${key}`)
    if (text !== null) await saveSealedOption(db, key, after.seal(text, `option:${key}`))
    else if (stored !== null) unreadable += 1
  }
  return unreadable
}

/** @returns how many could not be opened */
async function sealItemsAnew(db: Db, { before, after }: Seals): Promise<number> {
  let unreadable = 0
  await dropEncryptedTexts(db)
  for (let last = { userId: 0, id: '' }; ; ) {
    const rows = await listItems(db, { after: last, limit: pageRows })
    for (const { user_id: userId, id, item_sealed: sealed } of rows) {
      const purpose = `kept-item:${userId}:${id}`
      const text = sealed === null ? null : open(before, sealed, purpose)
      if (text === null) unreadable += 1
      else await saveItem(db, { userId, id, sealed: after.seal(text, purpose) })
      last = { userId, id }
    }
    if (rows.length < pageRows) return unreadable
  }
}

/** @returns how many could not be opened */
async function sealTasksAnew(db: Db, seals: Seals): Promise<number> {
  const { anew, unreadable } = createResealer(seals)
  for (let last = 0; ; ) {
    const rows = await listTaskTexts(db, { after: last, limit: pageRows })
    for (const { id, public_id, ...texts } of rows) {
      const purpose = `task:${public_id}`
      await saveTaskTexts(db, id, {
        upstream_sealed: anew(texts.upstream_sealed, purpose),
        order_sealed: anew(texts.order_sealed, purpose),
        result_sealed: anew(texts.result_sealed, purpose),
      })
    }
    last = rows.at(-1)?.id ?? 0
    if (rows.length < pageRows) return unreadable()
  }
}

/** One after another, because each may be a video. @returns how many could not be opened */
async function sealContentsAnew(db: Db, { before, after }: Seals): Promise<number> {
  let unreadable = 0
  for (const { task_id, place } of await listTaskContents(db)) {
    const purpose = `task:${task_id}`
    const text = open(before, await readTaskContent(db, task_id, place), purpose)
    if (text === null) unreadable += 1
    else await saveTaskContent(db, { task_id, place, content_sealed: after.seal(text, purpose) })
  }
  return unreadable
}

/** One after another, because each may have megabytes. @returns how many could not be opened */
async function sealAsidesAnew(db: Db, seals: Seals): Promise<number> {
  const { anew, unreadable } = createResealer(seals)
  for (const { id, task_id } of await listTaskAsides(db)) {
    const operation = await readAsideOperation(db, id)
    if (operation !== '')
      await saveAsideOperation(
        db,
        id,
        resealOperation(operation, (sealed) => anew(sealed, `task:${task_id}`)),
      )
  }
  return unreadable()
}

/** @returns how many could not be opened */
async function sealAppSecretsAnew(db: Db, { before, after }: Seals): Promise<number> {
  let unreadable = 0
  for (const { user_id: userId, app_sealed: sealed } of await listAppSecrets(db)) {
    const purpose = `authenticator-app:${userId}`
    const secret = open(before, sealed, purpose)
    if (secret === null) unreadable += 1
    else await saveAppSecret(db, userId, after.seal(secret, purpose))
  }
  return unreadable
}

/** @returns how many could not be opened */
async function sealWebhooksAnew(db: Db, seals: Seals): Promise<number> {
  const { anew, unreadable } = createResealer(seals)
  for (const { id, url_sealed, secret_sealed } of await listWebhooks(db))
    await saveWebhook(db, { id, url_sealed: anew(url_sealed, 'webhook-url'), secret_sealed: anew(secret_sealed, 'webhook-secret') })
  return unreadable()
}

async function dropAccessTokens(db: Db, { before, after, known }: Seals & { readonly known: string }): Promise<void> {
  for (const { id, access_token_lookup } of await listAccessTokens(db)) {
    if (isKnownToken(before, known, access_token_lookup)) await saveAccessToken(db, id, after.lookup(known, 'access-token'))
    else await deleteSystemToken(db, id)
  }
}

function isKnownToken(seal: Seal, known: string, lookup: string | null): boolean {
  return known !== '' && lookup === seal.lookup(known, 'access-token')
}

async function readEnding(db: Db, seal: Seal, known: string): Promise<EndingCredentials> {
  const accounts = await listAccessTokens(db)
  const lost = accounts.filter(({ access_token_lookup }) => !isKnownToken(seal, known, access_token_lookup))
  return {
    systemTokensOf: lost.map(({ username }) => username),
    keepsInitialToken: lost.length < accounts.length,
    personalTokens: await countPersonalTokens(db),
    recoveryCodesOf: (await listRecoveryCodeOwners(db)).map(({ username }) => username),
  }
}

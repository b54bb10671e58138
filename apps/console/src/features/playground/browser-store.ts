import { accountId } from '../../lib/session.ts'
import { storageScope } from '../../lib/storage.ts'

/**
 * The browser's own database of the playground: nothing of it is stored on the server. If the browser has no database (private windows of
 * some), every call fails, and the page works without.
 */

const databaseName = `${storageScope}playground`
/** Version 2 added the saved prompts. */
const version = 2
const byAccount = 'account'

const stores = ['conversations', 'prompts'] as const
type StoreName = (typeof stores)[number]

interface Row {
  readonly id: string
  readonly account: number
  readonly updatedMs: number
}

/** The rows of an account, newest first. */
export async function allOf<Kept extends Row>(name: StoreName, account: number): Promise<readonly Kept[]> {
  const rows = await run<Kept[]>(name, 'readonly', (store) => store.index(byAccount).getAll(account))
  return rows.sort((one, other) => other.updatedMs - one.updatedMs)
}

/** `null` = it is not there, or is another account's. */
export async function oneOf<Kept extends Row>(name: StoreName, account: number, id: string): Promise<Kept | null> {
  const kept = await run<Kept | undefined>(name, 'readonly', (store) => store.get(id))
  return kept !== undefined && kept.account === account ? kept : null
}

/** Stores a row, and deletes the oldest of its account above a number. What ends after the account has logged out is not stored. */
export async function put<Kept extends Row>(name: StoreName, row: Kept, max: number): Promise<void> {
  if (accountId() !== row.account) return
  await run(name, 'readwrite', (store) => store.put(row))
  const over = (await allOf(name, row.account)).slice(max)
  await remove(
    name,
    over.map(({ id }) => id),
  )
}

export async function remove(name: StoreName, ids: readonly string[]): Promise<void> {
  for (const id of ids) await run(name, 'readwrite', (store) => store.delete(id))
}

/** Deletes everything of an account. */
export async function clearAccount(account: number): Promise<void> {
  for (const name of stores)
    await remove(
      name,
      (await allOf<Row>(name, account)).map(({ id }) => id),
    )
}

async function run<T>(name: StoreName, mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  const database = await open()
  try {
    // Holds: each caller names the type that its request returns.
    return (await settled(act(database.transaction(name, mode).objectStore(name)))) as T
  } finally {
    database.close()
  }
}

async function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(databaseName, version)
  request.onupgradeneeded = () => {
    const { result } = request
    for (const name of stores)
      if (!result.objectStoreNames.contains(name)) result.createObjectStore(name, { keyPath: 'id' }).createIndex(byAccount, 'account')
  }
  return await settled(request)
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the database of the browser failed'))
  })
}

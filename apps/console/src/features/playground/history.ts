import { type Conversation, titleOf } from './conversation.ts'

/**
 * The conversations of each account, in the browser's own database: nothing of them is stored on the server. If the browser has no
 * database (private windows of some), the page works without a history.
 */

const databaseName = 'playground'
const storeName = 'conversations'
const byAccount = 'account'

/** The most conversations that are kept of an account; the oldest go first. */
const keptMax = 200

interface Kept {
  readonly id: string
  readonly account: number
  readonly updatedMs: number
  readonly conversation: Conversation
}

/** A row of the history. */
export interface KeptTitle {
  readonly id: string
  readonly title: string
  readonly models: readonly string[]
  readonly updatedMs: number
}

/** Newest first. */
export async function listKept(account: number): Promise<readonly KeptTitle[]> {
  const rows = await allOf(account)
  return rows.map(({ id, updatedMs, conversation }) => ({ id, updatedMs, title: titleOf(conversation), models: conversation.models }))
}

/** `null` = it is not there, or is another account's. */
export async function readKept(account: number, id: string): Promise<Conversation | null> {
  const kept = await run<Kept | undefined>('readonly', (store) => store.get(id))
  return kept !== undefined && kept.account === account ? kept.conversation : null
}

export async function keep(account: number, conversation: Conversation): Promise<void> {
  const { id, updatedMs } = conversation
  await run('readwrite', (store) => store.put({ id, account, updatedMs, conversation } satisfies Kept))
  for (const { id: old } of (await allOf(account)).slice(keptMax)) await run('readwrite', (store) => store.delete(old))
}

export async function forget(ids: readonly string[]): Promise<void> {
  for (const id of ids) await run('readwrite', (store) => store.delete(id))
}

async function allOf(account: number): Promise<readonly Kept[]> {
  const rows = await run<Kept[]>('readonly', (store) => store.index(byAccount).getAll(account))
  return rows.sort((one, other) => other.updatedMs - one.updatedMs)
}

async function run<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  const database = await open()
  try {
    // Holds: each caller names what its request answers.
    return (await settled(act(database.transaction(storeName, mode).objectStore(storeName)))) as T
  } finally {
    database.close()
  }
}

async function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(databaseName, 1)
  request.onupgradeneeded = () => {
    request.result.createObjectStore(storeName, { keyPath: 'id' }).createIndex(byAccount, 'account')
  }
  return await settled(request)
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the database of the browser failed'))
  })
}

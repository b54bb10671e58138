import { KeyRound, type LucideIcon, Network, User } from 'lucide-react'
import type { Command, CommandLink } from '../../lib/page-commands.ts'
import { type SafeStorage, type StorageKey, storage } from '../../lib/storage.ts'

/** How many commands are remembered. */
const recentsMax = 5

/** Kinds of rows that are found by name. */
const rowKinds = ['token', 'channel', 'user'] as const
export type RowKind = (typeof rowKinds)[number]

const rowIcons: Readonly<Record<RowKind, LucideIcon>> = { token: KeyRound, channel: Network, user: User }

/** The lists; a row opens in its sheet there. */
const listPaths = { token: '/token', channel: '/channel', user: '/user' } as const

/** Rows are remembered with their names, because they are not among the commands. */
interface Recent {
  readonly id: string
  readonly name?: string
}

/** Of one account: another one of the same browser does not see which names were searched for. */
const keyOf = (accountId: number): StorageKey => `ui-recent:${accountId}`

export function readRecents(accountId: number, from: SafeStorage = storage): readonly Recent[] {
  const stored = from.readJson(keyOf(accountId))
  return Array.isArray(stored) ? stored.filter(isRecent).slice(0, recentsMax) : []
}

function isRecent(value: unknown): value is Recent {
  if (typeof value !== 'object' || value === null || !('id' in value) || typeof value.id !== 'string') return false
  return !('name' in value) || typeof value.name === 'string'
}

/** Puts a command first. Commands of the page or of its rows are not remembered. */
export function rememberCommand(accountId: number, { id, label }: Pick<Command, 'id' | 'label'>, to: SafeStorage = storage): void {
  if (id.startsWith('page:')) return
  const recent: Recent = rowOf(id) === null ? { id } : { id, name: label }
  const others = readRecents(accountId, to).filter((other) => other.id !== id)
  to.writeJson(keyOf(accountId), [recent, ...others].slice(0, recentsMax))
}

/** The command that opens a row; its id is the row's. */
export function commandOfRow(kind: RowKind, id: number, label: string): Command {
  return { id: `row:${kind}:${id}`, label, icon: rowIcons[kind], link: linkOf(kind, id) }
}

/** The commands to show as recent, as far as the reader still may use them. */
export function recentCommands(
  recents: readonly Recent[],
  known: readonly Command[],
  mayFind: (kind: RowKind) => boolean,
): readonly Command[] {
  return recents.flatMap(({ id, name = '' }) => {
    const row = rowOf(id)
    const command = row === null ? known.find((one) => one.id === id) : mayFind(row.kind) ? commandOfRow(row.kind, row.id, name) : undefined
    return command === undefined ? [] : [command]
  })
}

function rowOf(id: string): { readonly kind: RowKind; readonly id: number } | null {
  const [mark, kind, number] = id.split(':')
  const known = rowKinds.find((one) => one === kind)
  return mark === 'row' && known !== undefined && Number.isSafeInteger(Number(number)) ? { kind: known, id: Number(number) } : null
}

const linkOf = (kind: RowKind, id: number): CommandLink => ({ to: listPaths[kind], search: { row: id } })

import type { Balances } from './import-users.ts'
import type { Trusted } from './run.ts'
import { type Kind, kinds, type Tally } from './tally.ts'

export interface Report {
  readonly source: string
  readonly dialect: string
  readonly isDialectFound: boolean
  readonly name: string
  readonly target: string
  readonly isApplied: boolean
  readonly tallies: Readonly<Record<Kind, Tally>>
  readonly trusted: Trusted
  /** Columns that may limit what was imported, and were not read. */
  readonly unread: readonly string[]
  readonly balances: Balances
  /** The balances that the ledger has for the source's accounts; empty in a dry run. */
  readonly posted: ReadonlyMap<number, number>
}

/** The report as lines for people. */
export function reportLines(report: Report): readonly string[] {
  const { source, dialect, isDialectFound, name, target, isApplied, tallies, trusted, unread } = report
  const all = kinds.map((kind) => tallies[kind])
  return [
    `From: ${source} (${dialect}, ${isDialectFound ? 'detected' : 'as specified'})`,
    ...(name === source ? [] : [`Remembered as: ${name}`]),
    `To:   ${target}`,
    '',
    ...table(isApplied, tallies),
    ...section(
      'Refused',
      all.flatMap(({ refusals }) => refusals),
      sum(all, 'refused'),
    ),
    ...section(
      'Left out',
      all.flatMap(({ omissions }) => omissions),
      sum(all, 'leftOut'),
    ),
    ...section(
      'Taken with a change',
      all.flatMap(({ changes }) => changes),
      0,
    ),
    ...section('Not read, though they may limit accounts, tokens or channels', unread, 0),
    ...section('Administrators in the source', trusted.admins, 0),
    ...section('Security options, which count as set by root', trusted.options, 0),
    '',
    ...balanceLines(report),
  ]
}

function table(isApplied: boolean, tallies: Report['tallies']): readonly string[] {
  const head = ['', 'read', isApplied ? 'taken' : 'to take', 'already here', 'left out', 'refused']
  const rows = kinds.map((kind) => {
    const { read, taken, there, leftOut, refused } = tallies[kind]
    return [`${kind}s`, ...[read, taken, there, leftOut, refused].map((number) => number.toLocaleString('en'))]
  })
  return [head, ...rows].map(([kind = '', ...cells]) => kind.padEnd(12) + cells.map((cell) => cell.padStart(14)).join(''))
}

/** The numbers of imported rows, in a few words. */
export function summaryOf(tallies: Report['tallies']): string {
  return kinds.map((kind) => `${kind}s ${tallies[kind].taken}`).join(', ')
}

function section(title: string, lines: readonly string[], total: number): readonly string[] {
  if (lines.length === 0) return []
  const more = total - lines.length
  return ['', title, ...lines.map((line) => `  ${line}`), ...(more > 0 ? [`  and ${more.toLocaleString('en')} more`] : [])]
}

function sum(tallies: readonly Tally[], of: 'refused' | 'leftOut'): number {
  return tallies.reduce((total, tally) => total + tally[of], 0)
}

/** Number of refused rows. */
export function refusedIn(tallies: Report['tallies']): number {
  return sum(Object.values(tallies), 'refused')
}

/** The exact sum, however many amounts there are. */
const total = (amounts: Iterable<number>): bigint => [...amounts].reduce((sum, amount) => sum + BigInt(amount), 0n)

function balanceLines({ balances, posted, isApplied, tallies }: Report): readonly string[] {
  const line = (what: string, amounts: Iterable<number>): string =>
    `  ${what.padEnd(34)}${total(amounts).toLocaleString('en').padStart(28)}`
  const { taken, there, absent, rewards } = balances
  const moved = movedOf(balances, posted)
  const unread = tallies.user.read - taken.size - there.size - absent.size
  return [
    'Balances, in quota',
    line('in the source', [...taken.values(), ...there.values(), ...absent.values()]),
    ...(total(rewards.values()) === 0n ? [] : [line('of these, rewards for invitations', rewards.values())]),
    line(isApplied ? 'of accounts that were taken' : 'of accounts to take', taken.values()),
    line('of accounts that were here already', there.values()),
    line('of accounts that were not taken', absent.values()),
    ...(isApplied ? [line('in the ledger here, of those taken', postedOf(balances, posted))] : []),
    ...(unread > 0 ? [`  Accounts whose row cannot be read, and whose balance is in none of these sums: ${unread}.`] : []),
    ...(moved > 0 ? [`  Accounts that came earlier and have another balance in the source by now: ${moved}. Theirs here stays.`] : []),
  ]
}

function postedOf({ taken }: Balances, posted: Report['posted']): readonly number[] {
  return [...taken.keys()].map((id) => posted.get(id) ?? 0)
}

function movedOf({ there }: Balances, posted: Report['posted']): number {
  return [...there].filter(([id, amount]) => posted.has(id) && posted.get(id) !== amount).length
}

/** Whether every imported account has the same balance in the ledger as in the source. */
export function isBalanced({ balances, posted }: Pick<Report, 'balances' | 'posted'>): boolean {
  return [...balances.taken].every(([id, amount]) => posted.get(id) === amount)
}

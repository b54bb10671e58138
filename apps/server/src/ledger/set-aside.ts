import { logType } from '@sluice/contract'
import { scrubText } from '../lib/scrub.ts'
import type { Ending } from './commit.ts'
import type { AsideEnd, Hold } from './ledger.ts'
import { type LogEntry, plainLog } from './log-entry.ts'
import type { Freed } from './quota-rules.ts'
import type { SetAside } from './set-aside-row.ts'
import type { TaskEnd } from './task-rows.ts'

/** Of a stored operation; only a task's result is ever near it. */
const operationCharsMax = 8_388_608
const codeCharsMax = 100
const messageCharsMax = 500

/** The reservation of an ending that was refused. */
export interface KeptHold extends Pick<SetAside, 'isOwned' | 'held'> {
  readonly kept: Freed
  readonly freed: Freed
}

/** What the store gets of an ending that it refused: whole numbers and ASCII only, so that it can refuse none of it. */
export function toSetAside(ending: Ending, error: unknown, { isOwned, held, kept, freed }: KeptHold): SetAside {
  const { requestId, userId, tokenId } = ending.hold
  return {
    requestId,
    userId,
    tokenId,
    kind: ending.do,
    amount: toWhole(amountOf(ending)),
    held: toWhole(held),
    taskId: taskOf(ending)?.publicId ?? '',
    operation: toOperationText(ending),
    ...toErrorTexts(error),
    isOwned,
    kept,
    freed,
  }
}

export const amountOf = (ending: Ending): number => (ending.do === 'settle' ? ending.settlement.amount : 0)
const taskOf = (ending: Ending): TaskEnd | undefined => (ending.do === 'settle' ? ending.settlement.task : ending.task)

function toOperationText(ending: Ending): string {
  if ((taskOf(ending)?.resultSealed.length ?? 0) > operationCharsMax) return ''
  const { freed, resolves, ...operation } = ending
  const text = asciiOf(JSON.stringify(operation, (_name, value: unknown) => (isUnspeakable(value) ? String(value) : value)))
  return text.length > operationCharsMax ? '' : text
}

/** What JSON would write as null or refuse. */
const isUnspeakable = (value: unknown): boolean => (typeof value === 'number' && !Number.isFinite(value)) || typeof value === 'bigint'

function asciiOf(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function toErrorTexts(error: unknown): Pick<SetAside, 'errorCode' | 'errorMessage'> {
  if (!(error instanceof Error)) return { errorCode: '', errorMessage: '' }
  const code = ['errno', 'code', 'name'].map((name) => Reflect.get(error, name)).find((value) => typeof value === 'string')
  return {
    errorCode: printable(String(code ?? ''), codeCharsMax),
    errorMessage: printable(scrubText(error.message.slice(0, 2_000)), messageCharsMax),
  }
}

const printable = (text: string, charsMax: number): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, charsMax)

/** The nearest whole number that every store keeps; 0 for what is no number. */
function toWhole(value: unknown): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return 0
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.trunc(value)))
}

/** Characters of an operation that are shown. */
const previewChars = 20_000

/** The operation for people, without the sealed result. */
export function operationPreview(text: string): string {
  if (text === '') return ''
  const operation = tryParse(text)
  // A damaged one is shown as it is.
  if (operation === undefined) return text.slice(0, previewChars)
  const json = JSON.stringify(operation, (name, value: unknown) => (name === 'resultSealed' && value !== '' ? '...' : value), 2)
  return json.length > previewChars ? `${json.slice(0, previewChars)}...` : json
}

/** The operation with another seal of the result of its task. A damaged one stays as it is. */
export function resealOperation(text: string, reseal: (sealed: string) => string): string {
  const anew = (name: string, value: unknown): unknown => (name === 'resultSealed' && typeof value === 'string' ? reseal(value) : value)
  const operation = tryParse(text)
  return operation === undefined ? text : asciiOf(JSON.stringify(operation, anew))
}

/** What is known of a reservation whose end was set aside. */
export interface AsideHold extends Hold {
  /** `public_id`; empty: a request. */
  readonly taskId: string
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The operation as it was; `null`: it was too large to keep, its amount is none, or it is damaged. */
export function readOperation(text: string): Ending | null {
  const members = text === '' ? null : toMembers(tryParse(text))
  if (members === null || typeof members['hold'] !== 'object' || (members['do'] === 'settle' && memberOf(members, 'settlement') === null))
    return null
  // Holds: `toOperationText` wrote it, and it has the members of one. Numbers that JSON cannot say have become texts there.
  const ending = members as unknown as Ending
  return Number.isSafeInteger(amountOf(ending)) ? ending : null
}

/** The end as it was; `null`: it was too large to keep, its amount is none, or it is damaged. */
export function readEnd(text: string, { taskId, ...hold }: AsideHold): AsideEnd | null {
  const ending = readOperation(text)
  if (ending === null) return null
  if (ending.do === 'settle') return { kind: 'settle', hold, settlement: ending.settlement }
  return { kind: 'release', hold, settlement: { amount: 0, channelId: 0, log: ending.log, ...(ending.task && { task: ending.task }) } }
}

/**
 * An end with the same result that charges another amount, in values that every store takes: whole numbers, texts without what
 * PostgreSQL cannot keep. Of an operation that was not kept it makes one without a result.
 */
export function toCleanEnd(text: string, hold: AsideHold, { charge, nowSeconds }: CleanOptions): AsideEnd {
  const operation = text === '' ? null : toMembers(tryParse(text))
  const settled = memberOf(operation, 'settlement')
  const source = settled ?? operation
  const { taskId, ...held } = hold
  const settlement = {
    amount: charge,
    channelId: toWhole(settled?.['channelId']),
    log: cleanLog(memberOf(source, 'log'), { hold, charge, nowSeconds }),
    ...(taskId === '' ? {} : { task: cleanTask(memberOf(source, 'task'), taskId) }),
  }
  return { kind: charge === 0 ? 'release' : 'settle', hold: held, settlement }
}

interface CleanOptions {
  readonly charge: number
  readonly nowSeconds: number
}

type Members = Readonly<Record<string, unknown>>

function toMembers(value: unknown): Members | null {
  // Holds: it is an object, whose members are read as unknown.
  return typeof value === 'object' && value !== null ? (value as Members) : null
}

const memberOf = (of: Members | null, name: string): Members | null => toMembers(of?.[name])

function cleanLog(log: Members | null, { hold, charge, nowSeconds }: CleanOptions & { readonly hold: Hold }): LogEntry {
  const { userId, requestId } = hold
  const blank = plainLog({ userId, createdAt: nowSeconds, type: consumeType, content: '', username: '', requestId })
  if (log === null) return { ...blank, quota: charge }
  const { cost, isServed } = log
  return {
    ...cleanLike(blank, log),
    ...{ userId, requestId, type: consumeType, quota: charge },
    cost: typeof cost === 'number' ? toWhole(cost) : null,
    isServed: typeof isServed === 'boolean' ? isServed : null,
  }
}

const consumeType = logType.consume

const states = ['completed', 'failed', 'cancelled', 'expired'] as const satisfies readonly TaskEnd['state'][]

function cleanTask(task: Members | null, publicId: string): TaskEnd {
  const lost = { publicId, progress: 0, resultSealed: '', errorCode: 'result_lost', errorMessage: '', expiresAt: 0 }
  const state = states.find((name) => name === task?.['state'])
  if (task === null || state === undefined) return { ...lost, state: 'failed' }
  const { errorCode, ...others } = lost
  return { ...cleanLike({ ...others, errorCode: '' }, task), publicId, state }
}

/** The members that a template has, each of the type that it has there. */
function cleanLike<Template extends object>(template: Template, values: Members): Template {
  const clean = Object.entries(template).map(([name, value]) => [name, cleanValue(value, values[name])])
  // Holds: the same names with values of the same types.
  return Object.fromEntries(clean) as Template
}

function cleanValue(template: unknown, value: unknown): unknown {
  if (typeof template === 'number') return toWhole(value)
  if (typeof template === 'boolean') return value === true
  if (typeof template === 'string') return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : ''
  return null
}

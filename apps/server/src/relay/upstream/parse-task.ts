import type { SubmittedTask, TaskCounts, TaskReport, TaskResult } from '@sluice/vendors/core/task'
import {
  parseAddress,
  parseAmount,
  parseId,
  parseJsonWithin,
  parseMediaType,
  parseSeconds,
  parseText,
  parseWhole,
} from '../../lib/parse-value.ts'

// What vendors report of tasks, as far as it may be stored and charged. `runStep` applies these functions to the results of all dialects.

/** More results than any vendor makes for one task. */
const resultsMax = 100
const codeCharsMax = 100
const messageCharsMax = 2_000
/** The longest words of a song are a hundredth of it. */
const textCharsMax = 1024 * 1024
/** The vendor's own data of a task. */
const dataCharsMax = 1024 * 1024
/** What later requests about a task need. Of a batch it has parts of the order, whose body has at most this size. */
const memoCharsMax = 32 * 1024 * 1024

/** A day: no vendor makes a longer video. */
const videoSecondsMax = 86_400
/** Some vendors count tokens as credits: see the most tokens of a request in `count.ts`. */
const creditsMax = 1_000_000_000
const piecesMax = 10_000
/** Names of sizes and qualities, such as `1080p`. */
const nameCharsMax = 64

export function parseTaskReport(report: TaskReport): TaskReport {
  const { state, progress, results, error, counts, expiresAt, data } = report
  const percent = parseWhole(progress, 100)
  const expiry = parseSeconds(expiresAt)
  return {
    state,
    ...(percent === null ? {} : { progress: percent }),
    ...(results === undefined ? {} : { results: results.slice(0, resultsMax).flatMap(resultIn) }),
    ...(error === undefined ? {} : { error: errorIn(error) }),
    ...(counts === undefined ? {} : { counts: parseTaskCounts(counts) }),
    ...(expiry === null ? {} : { expiresAt: expiry }),
    ...(data === undefined ? {} : { data: parseJsonWithin(data, dataCharsMax) }),
  }
}

/** `null` = the vendor does not know the task. */
export const parseKnownReport = (report: TaskReport | null): TaskReport | null => (report === null ? null : parseTaskReport(report))

export function parseTaskReports(reports: ReadonlyMap<string, TaskReport>): ReadonlyMap<string, TaskReport> {
  return new Map([...reports].map(([id, report]) => [id, parseTaskReport(report)]))
}

/** @throws UnusableValue if later requests could not name the task */
export function parseSubmittedTask({ vendorId, memo, report, counts }: SubmittedTask): SubmittedTask {
  const parsedMemo = parseJsonWithin(memo, memoCharsMax)
  if (parsedMemo === null) throw new UnusableValue('the response about a task is too long')
  return {
    vendorId: parseTaskId(vendorId),
    memo: parsedMemo,
    ...(report === undefined ? {} : { report: parseTaskReport(report) }),
    ...(counts === undefined ? {} : { counts: parseTaskCounts(counts) }),
  }
}

/** @throws UnusableValue */
export function parseTaskId(id: string): string {
  const parsed = parseId(id)
  if (parsed === null) throw new UnusableValue('the id is empty, too long, or has control characters')
  return parsed
}

/** A value without which the rest of a response is worthless. */
export class UnusableValue extends Error {}

/** A unit with an impossible count is left out, so that it is charged as it was planned. */
function parseTaskCounts({ seconds, credits, images, calls, size, quality }: TaskCounts): TaskCounts {
  const numbers = {
    seconds: parseAmount(seconds, videoSecondsMax),
    credits: parseAmount(credits, creditsMax),
    images: parseWhole(images, piecesMax),
    calls: parseWhole(calls, piecesMax),
  }
  const names = { size: parseText(size, nameCharsMax), quality: parseText(quality, nameCharsMax) }
  return {
    ...Object.fromEntries(Object.entries(numbers).filter(([, count]) => count !== null)),
    ...Object.fromEntries(Object.entries(names).filter(([, name]) => name !== '')),
  }
}

function errorIn({ code, message }: NonNullable<TaskReport['error']>): NonNullable<TaskReport['error']> {
  return { code: parseText(code, codeCharsMax) || 'task_failed', message: parseText(message, messageCharsMax) }
}

/** Empty = it has nothing that could be fetched. */
function resultIn({ variant, url, base64, contentType, text }: TaskResult): readonly TaskResult[] {
  const address = parseAddress(url)
  const type = parseMediaType(contentType)
  const content = typeof base64 === 'string' && base64 !== '' ? base64 : null
  const words = typeof text === 'string' ? parseText(text, textCharsMax) : null
  if (address === null && content === null && words === null) return []
  return [
    {
      variant,
      ...(address === null ? {} : { url: address }),
      ...(content === null ? {} : { base64: content }),
      ...(type === null ? {} : { contentType: type }),
      ...(words === null ? {} : { text: words }),
    },
  ]
}

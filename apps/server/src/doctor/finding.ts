import { messageText } from '@sluice/contract'
import { AppError } from '../lib/app-error.ts'

/** What one check has found. A warning is something that may be meant so. */
export interface Finding {
  readonly is: 'ok' | 'skipped' | 'warning' | 'problem'
  /** What was checked, in a few words. */
  readonly subject: string
  /** What holds, or what to do. */
  readonly text: string
}

/** Where checks report their findings, each immediately. */
export type ReportFinding = (finding: Finding) => void

/** Longest text of one finding, in characters: some texts are those of other servers. */
const textMax = 500

/** Runs one check. @param work returns what holds; what it throws says what is wrong */
export async function check(subject: string, work: () => string | Promise<string>): Promise<Finding> {
  try {
    return { is: 'ok', subject, text: await work() }
  } catch (error) {
    return { is: 'problem', subject, text: reasonOf(error) }
  }
}

/** Why something failed, in one line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof AppError ? appErrorText(error) : error instanceof Error ? error.message : String(error)
  return text.replace(/\s+/g, ' ').trim().slice(0, textMax)
}

function appErrorText({ code, options, cause }: AppError): string {
  const why = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : ''
  return `${messageText(options.messageKey ?? code, options.params)}${why}`
}

/** The line of a finding: problems are the ones to look for. */
export function lineOf({ is, subject, text }: Finding): string {
  const mark = { ok: 'ok', skipped: '-', warning: 'warning', problem: 'PROBLEM' }[is]
  return `${mark.padEnd(8)} ${subject.padEnd(18)} ${text}`
}

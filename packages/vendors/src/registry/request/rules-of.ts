import type { JsonObject } from '../../core/json.ts'
import type { Outgoing } from '../../core/request.ts'
import type { RequestRule } from '../../core/request-rule.ts'
import type { Vendor } from '../../core/vendor.ts'
import { hasMember } from '../../protocols/rules/response-members.ts'
import { upstreamLimitIn } from '../../protocols/shared/output-limit-of-request.ts'
import { knownLimitsOf } from '../models/output-limits.ts'

const none: readonly RequestRule[] = []

/** What decides which rules a request meets. */
export interface Ruled {
  readonly model: string
  /** Beta features that the client names: some raise the limit of output. */
  readonly clientHeaders?: Readonly<Record<string, string>> | undefined
  /** Those that an error taught. */
  readonly rules?: readonly RequestRule[] | undefined
}

/** The rules of a request: of its vendor's record, of the table of output limits, and those that were learned. */
export function rulesOf(vendor: Vendor, { body }: Pick<Outgoing, 'body'>, ruled: Ruled): readonly RequestRule[] {
  const { model, rules = none } = ruled
  const learned = rules.length === 0 ? none : rules.filter((rule) => !isAgainst(vendor, rule))
  const own = ownRules(vendor, body, model)
  const most = exceededMax(vendor, body, ruled)
  if (most === null) return learned.length === 0 ? own : [...own, ...learned]
  return [...own, { rule: 'output-max', tokens: most }, ...learned]
}

/** An error may repeat the words of a client, so it is not believed against the vendor's record, which says that messages have the member. */
function isAgainst({ chat }: Vendor, rule: RequestRule): boolean {
  const held: readonly string[] = chat?.extras ?? []
  return rule.rule === 'without-members' && rule.members.some((name) => held.includes(name))
}

const foreignMembers = ['thinking_blocks', 'extra_content'] as const
const noForeign: RequestRule = { rule: 'without-members', members: foreignMembers }

/**
 * Signed reasoning is in responses of Claude and Gemini as this gateway and others return it; no vendor knows it in chats. Self-hosted servers and
 * resellers may be such gateways.
 */
function ownRules(vendor: Vendor, { messages }: JsonObject, model: string): readonly RequestRule[] {
  const own = vendor.models.rulesFor?.(model) ?? none
  if (vendor.group === 'self_hosted' || vendor.group === 'proxies') return own
  return hasMember(messages, foreignMembers) ? [...own, noForeign] : own
}

/** Smallest limit of the table: requests below it are within every other. */
const smallestMax = 256

/** Anthropic's beta features by which models write more (`output-128k-2025-02-19`, "Beta headers", read 2026-11-21). */
const longerOutput = /(?:^|,|\s)output-\d+k/

/** What the model can write, where the request wants more; `null` = it does not, or no table knows. */
function exceededMax(vendor: Vendor, body: JsonObject, { model, clientHeaders }: Ruled): number | null {
  const limit = vendor.group === 'self_hosted' ? null : upstreamLimitIn(body)
  if (limit === null || limit <= smallestMax) return null
  const most = outputMaxAt(vendor, model)
  if (most === null || limit <= most) return null
  return writesMore(clientHeaders) ? null : most
}

/** Whether the client names a beta feature by which models write more than the table has. */
export function writesMore(headers: Ruled['clientHeaders']): boolean {
  return longerOutput.test(headers?.['anthropic-beta'] ?? '')
}

/** The highest limit of output that a model gets at a vendor; `null` = not known. Servers of one's own have the limits that their operator wants. */
export function outputMaxAt({ group }: Pick<Vendor, 'group'>, model: string): number | null {
  return group === 'self_hosted' ? null : (knownLimitsOf(model)?.outputMax ?? null)
}

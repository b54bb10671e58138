import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { modelKinds } from './model.ts'
import { says, searchText, searchTextMax } from './parts.ts'

/**
 * Why a channel does not serve a request now. `disabled`, `other_group`: it has the model, but not for this account. `not_offered`: its
 * vendor has no such call. `unreadable`: its key, configuration or settings cannot be read with the present master key. `unusable`: this
 * version does not know its type, or it has no address. The others are its health: in cooldown, at its concurrency limit, or failed.
 */
export const leftOutReasons = ['', 'disabled', 'other_group', 'not_offered', 'unreadable', 'unusable', 'cooled', 'full', 'down'] as const
export type LeftOutReason = (typeof leftOutReasons)[number]

export const candidateRow = z.object({
  id: z.int(),
  name: z.string(),
  type: z.int(),
  /** The name of the model at its vendor. */
  upstream_model: z.string(),
  priority: z.int(),
  weight: z.int(),
  groups: z.array(z.string()),
  /** Empty: it may be tried. */
  left_out: z.enum(leftOutReasons),
  /** Milliseconds until it is used again; 0 = it is used, or that is not known. */
  rest_ms: z.int(),
  /** The chance to be tried first: 0 to 1. */
  chance: z.number(),
  /** Requests that run there, and the milliseconds until its responses begin; 0 = not measured. */
  in_flight: z.int(),
  latency_ms: z.int(),
})
export type CandidateRow = z.output<typeof candidateRow>

export const routeReport = z.object({
  /** The group that sets the price; empty = no channel serves the model. */
  group: z.string(),
  is_priced: z.boolean(),
  /** The most channels that one request tries. */
  attempts: z.int(),
  /** How one of several is chosen: the option `ChannelChoice`. */
  choice: z.string(),
  /** In the order in which they are tried: by priority, and those that are left out where they would be. */
  channels: z.array(candidateRow),
})
export type RouteReport = z.output<typeof routeReport>

const modelName = z
  .string(says('invalid_parameter'))
  .check(z.trim(), z.minLength(1, says('invalid_parameter')), z.maxLength(searchTextMax, says('invalid_parameter')))

export const route = {
  /** Which channels would serve a request now, in which order, and which not, and why. Nothing is sent. */
  explain: endpoint({
    method: 'GET',
    path: '/api/route/',
    access: 'admin',
    input: z.object({
      model: modelName,
      /** An account's; it wins over `groups`. Empty = the given groups. */
      username: searchText,
      /** A comma list; empty = `default`. */
      groups: searchText,
      /** Empty = what the model is mostly called for. */
      kind: z._default(z.catch(z.enum(['', ...modelKinds]), ''), ''),
    }),
    data: routeReport,
  }),
}

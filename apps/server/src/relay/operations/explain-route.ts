import type { CandidateRow, ModelKind, RouteReport, Settings } from '@sluice/contract'
import { groupsOf } from '../ingress/callers.ts'
import { type Channel, modelAt } from '../model/channel.ts'
import type { Prices } from '../pricing/prices.ts'
import { createChannelTables } from '../routing/channel-tables.ts'
import type { Channels, UnusedRow } from '../routing/channels.ts'
import type { ChannelReport, Health } from '../routing/health.ts'
import type { Candidate, Routing } from '../routing/routing.ts'
import { kindAt } from './list-models.ts'

export interface ExplainRouteParts {
  readonly channels: Pick<Channels, 'current' | 'unused'>
  readonly routing: Pick<Routing, 'explain'>
  readonly prices: Pick<Prices, 'has'>
  readonly health: Pick<Health, 'report'>
  readonly settings: () => Settings
}

interface Question {
  readonly model: string
  /** Of an account, as they are stored. */
  readonly groups: string
  /** Empty: what the model is mostly called for. */
  readonly kind: ModelKind | ''
}

export type ExplainRoute = (question: Question) => Promise<RouteReport>

/** Says by the rules of the relay itself which channels a request would try, and why the others are left out. */
export function createExplainRoute({ channels, routing, prices, health, settings }: ExplainRouteParts): ExplainRoute {
  const { mappingOf } = createChannelTables()
  return async ({ model, groups: stored, kind: requestedKind }) => {
    const map = await channels.current()
    const groups = groupsOf(stored)
    const route = map.route(groups, model)
    const listed = map.channelsOf(model)
    const kind = kindFor(requestedKind, model, listed)
    const candidates =
      route === null
        ? []
        : routing.explain({ tiers: route.tiers, params: { model, fields: [] }, rules: { kind, isRepeatable: true }, tokenId: 0, groups })
    const reports = new Map(health.report().map((report) => [report.channelId, report]))
    const rows = [
      ...candidates.map((candidate) => rowOf(candidate, model, reports)),
      ...outside(listed, candidates).map((channel) => outsideRow(channel, model, groups)),
      ...channels.unused(model).map((unused) => unusedRow(unused, (row) => mappingOf(row.model_mapping).get(model) ?? model)),
    ]
    const { RetryTimes, ChannelChoice, UnpricedModelRatio } = settings()
    return {
      group: route?.group ?? '',
      is_priced: prices.has(model) || UnpricedModelRatio !== '',
      attempts: RetryTimes + 1,
      choice: ChannelChoice,
      channels: rows.sort((one, other) => other.priority - one.priority || other.chance - one.chance || one.id - other.id),
    }
  }
}

function kindFor(requestedKind: ModelKind | '', model: string, [first]: readonly Channel[]): ModelKind {
  if (requestedKind !== '') return requestedKind
  return first === undefined ? 'chat' : kindAt(first, modelAt(first, model))
}

/** Channels that have the model and are not on the way of this account. */
function outside(listed: readonly Channel[], candidates: readonly Candidate[]): readonly Channel[] {
  const known = new Set(candidates.map(({ channel }) => channel.id))
  return listed.filter(({ id }) => !known.has(id))
}

function factsOf(channel: Channel, model: string) {
  const { id, name, vendor, priority, weight, groups } = channel
  return { id, name, type: vendor.type, upstream_model: modelAt(channel, model), priority, weight, groups: [...groups] }
}

function rowOf({ channel, leftOut, restMs, chance }: Candidate, model: string, reports: ReadonlyMap<number, ChannelReport>): CandidateRow {
  const { inFlight = 0, latencyMs = 0 } = reports.get(channel.id) ?? {}
  return {
    ...factsOf(channel, model),
    left_out: leftOut ?? '',
    rest_ms: Number.isFinite(restMs) ? Math.ceil(restMs) : 0,
    chance,
    in_flight: inFlight,
    latency_ms: latencyMs,
  }
}

const noChance = { rest_ms: 0, chance: 0, in_flight: 0, latency_ms: 0 }

function outsideRow(channel: Channel, model: string, groups: readonly string[]): CandidateRow {
  const isServed = channel.groups.some((group) => groups.includes(group))
  return { ...factsOf(channel, model), left_out: isServed ? 'disabled' : 'other_group', ...noChance }
}

/** No account can use it, enabled or not, so that this is the reason whatever its groups are. */
function unusedRow({ row, reason }: UnusedRow, upstreamModel: (row: UnusedRow['row']) => string): CandidateRow {
  const { id, name, type, priority, weight, groups } = row
  const facts = { id, name, type, upstream_model: upstreamModel(row), priority, weight, groups: groups.split(',') }
  return { ...facts, left_out: reason, ...noChance }
}

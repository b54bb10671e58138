import { expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { reportsCost } from '../../registry/cost-reporters.ts'
import { vendors } from '../../registry/list.ts'
import { reportedCost } from './reported-cost.ts'

const usages: ReadonlyArray<readonly [JsonObject, number | null]> = [
  [{ cost: 0.06 }, 60_000_000],
  [{ cost: 0.95, cost_details: { upstream_inference_cost: 19 } }, 950_000_000],
  [{ cost: 0.05, cost_details: { upstream_inference_cost: 1 }, is_byok: true }, 1_050_000_000],
  [{ cost: 0.05, is_byok: true }, 50_000_000],
  [{ cost: { total_cost: 0.006, request_cost: 0.005 } }, 6_000_000],
  [{ cost_in_usd_ticks: 37_756_000 }, 3_775_600],
  [{ cost_in_usd_ticks: 1 }, 1],
  [{ cost: 0 }, 0],
  [{ cost: -1 }, null],
  [{ cost: '0.06' }, null],
  [{ cost: 1e12 }, null],
  [{ cost_in_usd_ticks: -5, cost: 0.06 }, null],
  [{ prompt_tokens: 1 }, null],
]

test.each(usages)('the usage %j reports a cost of %p billionths of a dollar', (usage, nanos) => {
  expect(reportedCost(usage)).toBe(nanos)
})

const plain = { baseUrl: 'https://openrouter.ai.evil.example' }

test('only vendors whose cost is what they charge are believed', () => {
  const openrouter = vendors.find(({ type }) => type === 20)
  const custom = vendors.find(({ type }) => type === 8)
  if (openrouter === undefined || custom === undefined) throw new Error('a type is missing')
  expect(reportsCost({ vendor: openrouter, ...plain })).toBe(true)
  expect(reportsCost({ vendor: custom, ...plain })).toBe(false)
  expect(reportsCost({ vendor: custom, baseUrl: 'https://api.x.ai' })).toBe(true)
  expect(reportsCost({ vendor: custom, baseUrl: 'https://api.perplexity.ai/v1' })).toBe(true)
  expect(reportsCost({ vendor: custom, baseUrl: 'https://api.x.ai.evil.example' })).toBe(false)
  expect(reportsCost({ vendor: custom, baseUrl: 'no address' })).toBe(false)
})

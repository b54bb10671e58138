import { describe, expect, test } from 'bun:test'
import { noBodyUse } from '@sluice/vendors/protocols/bodies/body-use'
import { seenOf } from '../billing/evidence.ts'
import { type BatchPlan, plannedRequest, planOf } from './batch-plans.ts'

const request = (custom_id: string, more: object = {}) => ({
  entry: { custom_id, params: {} },
  params: {
    ...{ model: 'm', isStream: false, wantsUsage: true, maxTokens: 50, choices: 1, promptTokens: 7, use: noBodyUse, ...more },
  },
})

describe('the plan of a batch', () => {
  test('has what the responses of its requests are judged by, and what is equal once, also after it was stored', async () => {
    const use = { ...noBodyUse, searches: 3, callsMax: 3, isWorking: true }
    const plan = await planOf([
      request('a', { textPrompt: { tokens: 7, messages: 1 } }),
      request('b', { model: 'n', use, images: 1, mayHideOutput: true }),
      ...Array.from({ length: 3_000 }, (_, index) => request(`c${index}`)),
    ])
    expect([plan.models, plan.causes?.length]).toEqual([['m', 'n'], 2])
    // Holds: it was one before it was written.
    const stored = JSON.parse(JSON.stringify(plan)) as BatchPlan
    expect(plannedRequest(stored, 'b')).toMatchObject({
      params: { model: 'n', promptTokens: 7, maxTokens: 50, images: 1, mayHideOutput: true, use: { searches: 3, callsMax: 3 } },
      isUnknown: false,
    })
    expect([plannedRequest(stored, 'a'), plannedRequest(stored, 'c2999')].map((one) => one !== null && seenOf(one.params))).toEqual([
      { isPromptSeen: true, isOutputSeen: true, mayLoop: false },
      { isPromptSeen: false, isOutputSeen: true, mayLoop: false },
    ])
    for (const name of ['d', 'toString', '__proto__']) expect(plannedRequest(stored, name)).toBeNull()
  })

  test('of an earlier version is read as that version meant it', () => {
    const plan: BatchPlan = {
      models: ['m'],
      requests: { first: [0, 7], seen: [0, 7, 50, 3], searching: [0, 7, 50, 4, 2], hiding: [0, 7, 50, 1, 0] },
    }
    expect(plannedRequest(plan, 'first')).toMatchObject({ isUnknown: true, params: { model: 'm', promptTokens: 7, maxTokens: null } })
    const judged = (name: string) => {
      const { params } = plannedRequest(plan, name) ?? {}
      return params === undefined ? null : { ...seenOf(params), use: params.use }
    }
    expect(judged('seen')).toEqual({ isPromptSeen: true, isOutputSeen: true, mayLoop: false, use: undefined })
    expect(judged('hiding')).toMatchObject({ isPromptSeen: true, isOutputSeen: false, mayLoop: false, use: { searches: 0 } })
    expect(judged('searching')).toMatchObject({ isPromptSeen: false, mayLoop: true, use: { searches: 2, isRegional: true } })
  })
})

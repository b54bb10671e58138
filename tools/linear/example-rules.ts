import type { RequestRule } from '../../packages/vendors/src/core/request-rule.ts'

/** One of each form. */
export const exampleRules: readonly RequestRule[] = [
  { rule: 'without', parameter: 'stop' },
  ...([{ rule: 'one-sampling' }, { rule: 'output-max', tokens: 9 }, { rule: 'room', tokens: 9 }, { rule: 'no-developer' }] as const),
  ...([
    { rule: 'instructions', place: 'first' },
    { rule: 'user-last' },
    { rule: 'json-word' },
    { rule: 'thinking', form: 'budget' },
  ] as const),
  ...([
    { rule: 'few-marks' },
    { rule: 'cloud-marks' },
    { rule: 'no-marks' },
    { rule: 'inputs-max', inputs: 9 },
    { rule: 'streams' },
  ] as const),
  { rule: 'without-members', members: ['reasoning_content', 'refusal'] },
]

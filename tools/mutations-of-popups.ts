import type { Mutation } from './mutations.ts'

const ui = 'apps/console/src/ui'
const late = 'apps/console/src/lib/late'

/** Faults in popups, and in code that is loaded late. */
export const mutationsOfPopups: readonly Mutation[] = [
  {
    name: 'keep a failed load of code forever',
    file: `${late}.ts`,
    text: '      loading = null\n',
    becomes: '',
    tests: [`${late}.test.ts`],
  },
  {
    name: 'open popups on the preferred side although only the other has room',
    file: `${ui}/placing.ts`,
    text: 'popup.height <= rooms[side] || rooms[side] >= rooms[other] ? side : other',
    becomes: 'side',
    tests: [`${ui}/placing.test.ts`],
  },
  {
    name: 'let the arrow keys leave a grid at a shorter row',
    file: `${ui}/roving-focus.ts`,
    text: 'Math.min(Math.max(0, column), (lengths[nextRow] ?? 1) - 1)',
    becomes: 'Math.max(0, column)',
    tests: [`${ui}/roving-focus.test.ts`],
  },
]

import type { Mutation } from './mutations.ts'

const relay = 'apps/server/src/relay'
const media = `${relay}/kinds/media.test.ts`

/** The same for pictures and sound. */
export const mutationsOfMedia: readonly Mutation[] = [
  {
    name: 'draw a picture twice where it may have been drawn',
    file: `${relay}/kinds/images.ts`,
    text: 'const drawing = { isRepeatable: false,',
    becomes: 'const drawing = { isRepeatable: true,',
    tests: [media],
    only: 'made again',
  },
  {
    name: 'reckon with any number of pictures',
    file: `${relay}/kinds/images.ts`,
    text: "images: countIn(body, 'n', picturesMax) ?? 1,",
    becomes: "images: Number(body['n'] ?? 1),",
    tests: [media],
    only: 'refused',
  },
  {
    name: 'send the end of a sound before it is paid',
    file: `${relay}/plain-answers.ts`,
    text: 'Buffer.concat([last, raw.subarray(0, -1)])',
    becomes: 'raw',
    tests: [media],
    only: 'speech on its way',
  },
  {
    name: 'end a sound that was cut off as if it were whole',
    file: `${relay}/plain-answers.ts`,
    text: '    error: () => null,',
    becomes: '    error: () => nothing,',
    tests: [media],
    only: 'cuts off',
  },
  {
    name: 'let any type through as sound',
    file: `${relay}/attempt.ts`,
    text: "rules.plain?.get(type) ?? 'json'",
    becomes: "rules.plain?.get(type) ?? 'bytes'",
    tests: [media],
    only: 'a page',
  },
]

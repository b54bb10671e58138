/** Things that stand in exactly one kind of place, so that a reader knows where to look and a test knows what to replace. */
export interface Edge {
  readonly what: string
  /** Looked for in code; `in: 'strings'` looks at the start of string and template literals instead. */
  readonly pattern: RegExp
  readonly in: 'code' | 'strings'
  /** Where the rule holds, and where in there the thing may stand. Repository paths. */
  readonly within: RegExp
  readonly allowed: RegExp
  readonly why: string
}

const server = /^apps\/server\/src\//
const serverAndHttp1 = /^(?:apps\/server|packages\/http1)\/src\//

export const edges: readonly Edge[] = [
  {
    what: 'the environment',
    pattern: /\b(?:process|Bun)\.env\b/,
    in: 'code',
    within: /^(?:packages|apps)\//,
    allowed: /^apps\/server\/src\/env\.ts$|^apps\/console\/vite\.config\.ts$/,
    why: 'env.ts reads every variable, checks it and says what is wrong with it.',
  },
  {
    what: 'a request to elsewhere',
    pattern: /(?<![\w.])(?:globalThis\.|window\.|Bun\.)?fetch\(/,
    in: 'code',
    within: /^(?:packages|apps)\/[^/]+\/src\//,
    allowed: /^apps\/server\/src\/outside\/call\.ts$|^apps\/console\/src\/lib\/api\.ts$/,
    why: 'Time limits, guards and errors of requests are in one place on each side.',
  },
  {
    what: 'a socket',
    pattern: /\bBun\.(?:connect|listen)\(/,
    in: 'code',
    within: serverAndHttp1,
    allowed: /^apps\/server\/src\/(?:relay\/upstream\/http1\/connection|commands)\.ts$|^packages\/http1\/src\/http-server\.ts$/,
    why: 'What goes to vendors goes through one client, which connects to checked addresses only.',
  },
  {
    what: 'a clock',
    pattern: /\bDate\.now\b|\bperformance\.now\b|\bnew Date\b|\bprocess\.hrtime\b|\bBun\.nanoseconds\b/,
    in: 'code',
    within: serverAndHttp1,
    allowed: /^apps\/server\/src\/lib\/clock\.ts$|^packages\/http1\/src\/time\.ts$/,
    why: 'Tests set the clock.',
  },
  {
    what: 'SQL text',
    pattern: /^\s*(?:SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE|BEGIN|ALTER|DROP|WITH)\s+[^/\s]/,
    in: 'strings',
    within: server,
    allowed: /queries\.ts$|^apps\/server\/src\/db\//,
    why: 'What the store is asked stands together and can be read as a list.',
  },
]

/** What differs between vendors is a field of their record. Files that may still compare a type with a number, and why. */
export const typeBranchesAllowed: Readonly<Record<string, string>> = {
  'apps/console/src/features/channel/type-rules.ts': 'What the form asks for and how is stated by type number in the specification.',
}

/** Vendors are named in their own record, in the list of them, in the prices and what the check of them lets pass, and nowhere else. */
export const vendorNamesAllowed = /^packages\/vendors\/(?:src\/(?:list\.ts$|prices\.)|test\/odd-prices\.ts$)/

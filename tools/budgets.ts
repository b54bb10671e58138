/**
 * Limits on the source code that tests of tools/ check. Biome checks those that it has rules for (parameters, complexity, `any`, `!`);
 * they are in biome.jsonc. A higher limit of a single file is listed here with its reason.
 */
export const budgets = {
  fileLines: 300,
  functionLines: 60,
  componentLines: 120,
  /** The record of a vendor without a dialect of its own, with all that is only its. */
  vendorLines: 73,
  /** The pages of a plain noun of the console (redemption codes), without texts and tests, with comments and blank lines: what the next noun costs. */
  plainNoun: { files: 6, lines: 400 },
  /** Largest share of duplicate lines. */
  repeatedShare: 0.05,
} as const

/** Vendors without a dialect of their own that have further files, and the reason. */
export const vendorParts: Readonly<Record<string, { readonly files: readonly string[]; readonly why: string }>> = {}

/** Files with a higher limit on code lines, and the reason. */
export const fileLimits: Readonly<Record<string, { readonly lines: number; readonly why: string }>> = {
  'apps/server/src/app.ts': { lines: 340, why: 'The composition root.' },
  'apps/server/src/db/schema.ts': { lines: 400, why: 'A table of columns.' },
  'packages/contract/src/summaries.ts': { lines: 400, why: 'A table of texts.' },
  'tools/may-import.ts': { lines: 400, why: 'A table of folders.' },
  'packages/contract/src/messages/en.ts': { lines: 400, why: 'A table of texts.' },
  'packages/contract/src/messages/zh.ts': { lines: 400, why: 'A table of texts.' },
  'apps/server/src/relay/relay.ts': { lines: 125, why: 'The page that shows how a request is handled.' },
}

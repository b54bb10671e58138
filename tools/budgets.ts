/**
 * How much of something the repository allows itself. Biome holds the budgets that it has rules for (parameters, complexity, `any`, `!`);
 * biome.jsonc names them. A limit raised for one file stands here with its reason.
 */
export const budgets = {
  fileLines: 300,
  functionLines: 60,
  componentLines: 120,
  /** Share of lines that stand elsewhere too. */
  repeatedShare: 0.05,
} as const

/** Files with a limit of their own on code lines, and why. */
export const fileLimits: Readonly<Record<string, { readonly lines: number; readonly why: string }>> = {
  'apps/server/src/relay/relay.ts': { lines: 120, why: 'The one page that tells how a request runs.' },
}

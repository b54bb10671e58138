export interface Row {
  readonly folder: string
  readonly may: readonly string[]
  readonly why: string
}

export const runtime = ['node:', 'bun', 'bun:'] as const
export const contract = ['contract/index.ts', 'contract/errors.ts'] as const

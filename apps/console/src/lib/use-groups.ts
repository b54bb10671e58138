import { catalogue } from '@sluice/contract'
import { useRead } from './use-call.ts'

const none: readonly string[] = []

/** The names of all groups. */
export function useGroups(): readonly string[] {
  return useRead(catalogue.groups, { input: {}, freshMs: 60_000 }).data ?? none
}

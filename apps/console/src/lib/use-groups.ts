import { catalogue } from '@sluice/contract'
import type { QueryClient } from '@tanstack/react-query'
import { prefetch } from './preload.ts'
import { readOptions } from './reads.ts'
import { useRead } from './use-call.ts'

const none: readonly string[] = []

const freshMs = 60_000

/** For a page that shows groups at first. */
export const startGroups = (client: QueryClient): void => prefetch(client, readOptions(catalogue.groups, {}, { freshMs }))

/** The names of all groups. */
export function useGroups(): readonly string[] {
  return useRead(catalogue.groups, { input: {}, freshMs }).data ?? none
}

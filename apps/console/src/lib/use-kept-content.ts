import { status } from '@sluice/contract'
import type { QueryClient, UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { prefetch } from './preload.ts'
import { readOptions } from './reads.ts'
import { storage } from './storage.ts'
import { useRead } from './use-call.ts'

interface KeptContent {
  /** First that of the last visit; `undefined` = not known yet. */
  readonly content: string | undefined
  readonly read: UseQueryResult<string>
}

const pages = {
  home: { endpoint: status.homePageContent, key: 'ui-home' },
  about: { endpoint: status.about, key: 'ui-about' },
} as const

export const startContent = (client: QueryClient, page: keyof typeof pages): void => prefetch(client, readOptions(pages[page].endpoint, {}))

/** What an administrator stored for a page. It is kept for the next visit, so that the page does not change while it is read. */
export function useKeptContent(page: keyof typeof pages): KeptContent {
  const { endpoint, key } = pages[page]
  const [known] = useState(() => storage.readText(key) ?? undefined)
  const read = useRead(endpoint, { input: {}, isPreloaded: true, isSilent: true })
  const { data } = read
  useEffect(() => {
    if (data !== undefined) storage.writeText(key, data)
  }, [data, key])
  return { content: data ?? known, read }
}

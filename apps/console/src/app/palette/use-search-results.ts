import { channel, type Endpoint, token, user } from '@sluice/contract'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'
import type { Command } from '../../lib/page-commands.ts'
import { pause } from '../../lib/pause.ts'
import { derivedOptions } from '../../lib/reads.ts'
import { useSession } from '../../lib/session.ts'
import { commandOfRow, type RowKind } from './recents.ts'

/** A search begins after this pause in typing. */
const pauseMs = 150

/** Most rows of a kind. */
const resultsMax = 5

export interface SearchResults {
  readonly kind: RowKind
  readonly commands: readonly Command[]
  readonly isSearching: boolean
  readonly hasFailed: boolean
}

/** Tokens, channels and users with a name like this. The next key cancels the pause and the call of the one before. */
export function useSearchResults(text: string): readonly SearchResults[] {
  const { isSignedIn, isAdmin } = useSession()
  const keyword = text.trim()
  const isWanted = isSignedIn && keyword !== ''
  const tokens = useSearch('token', isWanted, keyword)
  const channels = useSearch('channel', isWanted && isAdmin, keyword)
  const users = useSearch('user', isWanted && isAdmin, keyword)
  return isWanted ? [tokens, ...(isAdmin ? [channels, users] : [])] : []
}

interface Search {
  readonly endpoint: Pick<Endpoint, 'path'>
  readonly find: (keyword: string, signal: AbortSignal) => Promise<readonly Command[]>
}

const searches: Readonly<Record<RowKind, Search>> = {
  token: {
    endpoint: token.search,
    find: async (keyword, signal) => {
      const rows = await call(token.search, { keyword, size: resultsMax }, { signal })
      return rows.map(({ id, name }) => ({ ...commandOfRow('token', id, name), note: `#${id}` }))
    },
  },
  channel: {
    endpoint: channel.search,
    find: async (keyword, signal) => {
      const rows = await call(channel.search, { keyword, size: resultsMax }, { signal })
      return rows.map(({ id, name }) => ({ ...commandOfRow('channel', id, name), note: `#${id}` }))
    },
  },
  user: {
    endpoint: user.search,
    find: async (keyword, signal) => {
      const rows = await call(user.search, { keyword, size: resultsMax }, { signal })
      return rows.map(({ id, username, display_name }) => ({ ...commandOfRow('user', id, username), note: display_name || `#${id}` }))
    },
  },
}

/** Kept for a keyword that is typed again while the palette is open, and hardly longer. */
const keptMs = 10_000

function useSearch(kind: RowKind, isWanted: boolean, keyword: string): SearchResults {
  const { data, isFetching, isError } = useQuery({
    ...derivedOptions(searches[kind].endpoint, ['palette', keyword], async ({ signal }) => {
      await pause(pauseMs, signal)
      signal.throwIfAborted()
      return await searches[kind].find(keyword, signal)
    }),
    enabled: isWanted,
    staleTime: keptMs,
    gcTime: keptMs,
    // The palette says it.
    meta: { failure: 'silent' },
  })
  return { kind, commands: isWanted && data !== undefined ? data.slice(0, resultsMax) : [], isSearching: isFetching, hasFailed: isError }
}

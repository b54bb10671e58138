import { hasStoredUser } from '../lib/session.ts'
import type { createConsoleRouter } from './router.tsx'

type Router = ReturnType<typeof createConsoleRouter>

/** Starts to load the code of the first page: that of the address, or the login that its guard leads to. */
export function preloadFirstPage({ matchRoutes, latestLocation, routesById }: Router): void {
  const ids: readonly (keyof typeof routesById)[] = matchRoutes(latestLocation).map(({ routeId }) => routeId)
  const first = ids.includes('/guarded') && !hasStoredUser() ? (['/login'] as const) : ids
  for (const id of first) void routesById[id].options.component?.preload?.()
}

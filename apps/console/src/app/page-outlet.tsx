import { Outlet, useRouterState } from '@tanstack/react-router'
import { useSlowWait } from '../lib/use-slow-wait.ts'
import { PageLoading } from '../ui/page.tsx'

/**
 * The page, or a loading placeholder. The router's own pending component is not shown for a page whose load began before the click, which
 * is always so once the pointer is over its link. The previous page stays while the code of the next one is expected soon.
 */
export function PageOutlet() {
  const isWaiting = useRouterState({
    select: ({ isLoading, location, resolvedLocation }) => isLoading && location.pathname !== resolvedLocation?.pathname,
  })
  return useSlowWait(isWaiting) ? <PageLoading /> : <Outlet />
}

import { Outlet, useRouterState } from '@tanstack/react-router'
import { useSlowWait } from '../lib/use-slow-wait.ts'
import { PageLoading } from '../ui/page.tsx'

/**
 * The page, or that it is loading. The router's own pending component does not appear for a page that was asked for before the click, as it
 * is whenever its link is pointed at. The previous page stays while the code of the next one comes soon.
 */
export function PageOutlet() {
  const isWaiting = useRouterState({
    select: ({ isLoading, location, resolvedLocation }) => isLoading && location.pathname !== resolvedLocation?.pathname,
  })
  return useSlowWait(isWaiting) ? <PageLoading /> : <Outlet />
}
